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
import { BUNDLE_ID_TAKEN } from './bundle-id-taken.js';
import { LogoCopies } from '../logo/logo-copies.js';

export interface NewApp {
  readonly app: App;
  /** Shown this once; null: it has none that works. */
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

/** The row of a new app with its first secret, in the transaction of the caller, who decides and audits. */
@Injectable()
export class NewApps {
  constructor(
    private readonly apps: AppsRepository,
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
   * An app that comes with a document, in the document's transaction. The right to import it, what its config may say and
   * the audit entry are the caller's business; that it is no Console app is this method's.
   * @throws BundleIdAlreadyExists
   */
  createImported(tx: EntityManager, fields: ImportedAppFields): Promise<NewApp> {
    // The document does not say who has the private keys.
    const keysSetByAppAdmin = Boolean(fields.config.jwks ?? fields.config.jwks_uri);
    const serviceScopes = workingScopes(DEFAULT_SERVICE_SCOPES, fields.config);
    const own = { isConsoleApp: false, serviceScopes, keysSetByAppAdmin };
    return this.insert(tx, { ...fields, ...own });
  }

  /**
   * @param fields without `bundleId`: of a client that has registered itself, which has none
   * @throws BundleIdAlreadyExists
   */
  async insert(tx: EntityManager, fields: Partial<App>): Promise<NewApp> {
    const secret = newOpaqueToken(this.randomness);
    const id = this.randomness.uuid();
    const row = { id, bundleId: `client.${id}`, clientSecretHash: secret.hash, ...fields } as App;
    const app = await this.apps.insert(tx, row).catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
    await this.logoCopies.order(tx, app);
    return { app, clientSecret: keepsNoSecret(app.config) ? null : secret.token };
  }
}
