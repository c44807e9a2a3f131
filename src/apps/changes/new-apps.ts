import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import { newOpaqueToken } from '../../crypto/opaque-token.js';
import { translateViolation } from '../../database/violated-constraint.js';
import { keepsNoSecret, workingScopes } from '../settings/app-config.rules.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG, DEFAULT_SERVICE_SCOPES } from '../app/app-config.js';
import type { PictureColumn } from '../settings/app-pictures.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import { BUNDLE_ID_TAKEN } from '../app/apps.errors.js';
import { LogoCopies } from '../logo/logo-copies.js';
import { AppMaximum } from './app-maximum.js';

export interface NewApp {
  readonly app: App;
  /** Returned only once; null: the app has no working secret. */
  readonly clientSecret: string | null;
}

export type ImportedAppFields = Pick<
  App,
  | 'tenantId'
  | 'name'
  | 'bundleId'
  | 'registrationPolicy'
  | 'isActive'
  | 'offWithTenant'
  | 'config'
  | 'branding'
  | PictureColumn
>;

/**
 * Inserts the row of a new app with its first secret, in the caller's transaction. The caller checks authority and
 * writes the audit entry.
 */
@Injectable()
export class NewApps {
  constructor(
    private readonly apps: AppsRepository,
    private readonly maximum: AppMaximum,
    private readonly logoCopies: LogoCopies,
    private readonly randomness: Randomness,
  ) {}

  /** A tenant's own Console app; called in the tenant's transaction. */
  async createConsole(tx: EntityManager, tenant: { id: string; isActive: boolean }): Promise<App> {
    const { app } = await this.insert(tx, {
      tenantId: tenant.id,
      name: 'Console',
      bundleId: `console.${tenant.id}`,
      registrationPolicy: 'invite',
      isConsoleApp: true,
      isActive: tenant.isActive,
      offWithTenant: !tenant.isActive,
      serviceScopes: [],
      config: DEFAULT_CONFIG,
      branding: DEFAULT_BRANDING,
    });
    return app;
  }

  /**
   * Creates an app of an imported document, in the transaction of the import. The caller checks the right to import and
   * the config, and writes the audit entry. It calls {@link AppMaximum.check} again when it has locked the tenant. This
   * method makes sure that it is no Console app.
   * @throws BundleIdAlreadyExists, TooManyApps
   */
  createImported(tx: EntityManager, fields: ImportedAppFields): Promise<NewApp> {
    // The document does not say who holds the private keys.
    const keysSetByAppAdmin = Boolean(fields.config.jwks ?? fields.config.jwks_uri);
    const serviceScopes = workingScopes(DEFAULT_SERVICE_SCOPES, fields.config);
    const own = { isConsoleApp: false, serviceScopes, keysSetByAppAdmin };
    return this.insert(tx, { ...fields, ...own });
  }

  /**
   * The caller has locked the tenant.
   * @param fields without `bundleId` for a self-registered client, which has a maximum of its own
   * @throws BundleIdAlreadyExists, TooManyApps
   */
  async insert(tx: EntityManager, fields: Partial<App> & Pick<App, 'tenantId'>): Promise<NewApp> {
    const { origin = 'operator', isConsoleApp = false } = fields;
    if (origin === 'operator' && !isConsoleApp) await this.maximum.check(fields.tenantId, 1, tx);
    const secret = newOpaqueToken(this.randomness);
    const id = this.randomness.uuid();
    const row = { id, bundleId: `client.${id}`, clientSecretHash: secret.hash, ...fields } as App;
    const app = await this.apps.insert(tx, row).catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
    await this.logoCopies.order(tx, app);
    return { app, clientSecret: keepsNoSecret(app.config) ? null : secret.token };
  }
}
