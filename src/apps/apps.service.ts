import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { authorityOf, canAdministerApp, canAdministerTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import { Randomness } from '../common/randomness.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { newOpaqueToken } from '../crypto/opaque-token.js';
import { Transactions } from '../database/transactions.js';
import { translateViolation } from '../database/violated-constraint.js';
import { TenantIsNotActive } from '../tenants/tenants.errors.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { appScope, judgeCreate, judgeUpdate, mayListTenant, widensToTenant } from './app-access.rules.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG, DEFAULT_SERVICE_SCOPES } from './app-config.js';
import { judgeConfig, mergeConfig } from './app-config.rules.js';
import { AppDirectory } from './app-directory.js';
import type { AppCreate, AppUpdate, ConfigInput } from './app.dto.js';
import { App } from './app.entity.js';
import { AppNotFound, BundleIdAlreadyExists, SecretMustBeRegenerated } from './apps.errors.js';
import { type AppFilter, AppsRepository } from './apps.repository.js';
import { LogoCopies } from './logo/logo-copies.js';
import { LogoImages } from './logo/logo-images.js';
import { UnsupportedImageType } from './logo/logo.errors.js';

export interface NewApp {
  readonly app: App;
  /** Shown this once. */
  readonly clientSecret: string;
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
  | 'logoData'
>;

@Injectable()
export class AppsService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly directory: AppDirectory,
    private readonly tenants: TenantsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly images: LogoImages,
    private readonly logoCopies: LogoCopies,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  find(id: string): Promise<App | null> {
    return this.apps.find(id);
  }

  findByBundleId(bundleId: string): Promise<App | null> {
    return this.apps.findByBundleId(bundleId);
  }

  /** @throws AppNotFound */
  async get(id: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.find(id, tx);
    if (!app) throw new AppNotFound();
    return app;
  }

  /** An app the caller governs. @throws AppNotFound (platform admins only learn that), InsufficientPermissions */
  async getAdministered(ctx: RequestContext, id: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.find(id, tx);
    if (!app && authorityOf(ctx.actor).platform) throw new AppNotFound();
    if (!app || !canAdministerApp(ctx.actor, app)) throw new InsufficientPermissions();
    return app;
  }

  getPlatformConsole(): Promise<App> {
    return this.apps.getPlatformConsole();
  }

  /** The one where enrollment makes a tenant admin; every tenant has it. */
  getConsole(tenantId: string, tx?: EntityManager): Promise<App> {
    return this.apps.getConsole(tenantId, tx);
  }

  /** Newest first, rows cut to the caller; a foreign `tenantId` is refused. Service tokens see their tenant without the Console app. */
  async list(
    { actor }: RequestContext,
    filter: Omit<AppFilter, 'scope' | 'withoutConsole'>,
  ): Promise<{ apps: App[]; total: number }> {
    if (filter.tenantId && !mayListTenant(actor, filter.tenantId)) throw new InsufficientPermissions();
    return this.apps.list({ ...filter, scope: appScope(actor), withoutConsole: actor.type === 'service' });
  }

  /** @throws InsufficientPermissions, TenantNotFound, InvalidInput, BundleIdAlreadyExists */
  async create(ctx: RequestContext, input: AppCreate): Promise<NewApp> {
    if (judgeCreate(ctx.actor, input) === 'forbidden') throw new InsufficientPermissions();
    const merged = mergeConfig({ config: DEFAULT_CONFIG, branding: DEFAULT_BRANDING }, input.config);
    const faults = judgeConfig(merged, this.settings);
    if (faults.length > 0) throw new InvalidInput(faults);
    const logoData = await this.logoIn(input.config);
    const created = await this.transactions.run(async (tx) => {
      const tenant = await this.tenants.getForUpdate(tx, input.tenant_id);
      const made = await this.insert(tx, {
        tenantId: tenant.id,
        name: input.name,
        bundleId: input.bundle_id,
        registrationPolicy: input.registration_policy ?? 'invite',
        isActive: tenant.isActive,
        offWithTenant: !tenant.isActive,
        serviceScopes: [...new Set(input.service_scopes ?? DEFAULT_SERVICE_SCOPES)],
        logoData: logoData ?? null,
        ...merged,
      });
      await this.audit.record(tx, ctx, 'app.created', this.subject(made.app, { name: made.app.name }));
      return made;
    });
    this.directory.forget();
    return created;
  }

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
   * An app that comes with a document, in the document's transaction. Who may import it, what its config may say and
   * the audit entry are the caller's business; that it is no Console app is this method's.
   * @throws BundleIdAlreadyExists
   */
  createImported(tx: EntityManager, fields: ImportedAppFields): Promise<NewApp> {
    return this.insert(tx, { ...fields, isConsoleApp: false, serviceScopes: [...DEFAULT_SERVICE_SCOPES] });
  }

  /** A tenant's apps without its Console, ordered by bundle id. @param after the last bundle id already seen */
  pageOfTenant(tenantId: string, after: string, limit: number): Promise<App[]> {
    return this.apps.pageOfTenant(tenantId, after, limit);
  }

  takenBundleIds(bundleIds: readonly string[], tx?: EntityManager): Promise<Set<string>> {
    return this.apps.takenBundleIds(bundleIds, tx);
  }

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput, BundleIdAlreadyExists, SecretMustBeRegenerated, TenantIsNotActive */
  async update(ctx: RequestContext, id: string, input: AppUpdate): Promise<App> {
    const logoData = await this.logoOf(ctx, id, input);
    const updated = await this.transactions.run(async (tx) => {
      const app = checked(ctx, await this.lock(tx, id, input), input);
      const { is_console_app: _ignored, ...said } = defined(input);
      const fields = Object.keys(said);
      if (fields.length === 0) return app;
      const merged = mergeConfig(app, input.config);
      const faults = judgeConfig(merged, this.settings);
      if (faults.length > 0) throw new InvalidInput(faults);
      if (input.is_active && !(await this.tenants.get(app.tenantId, tx)).isActive) throw new TenantIsNotActive();
      if (app.secretKnownToAppAdmin && widensToTenant(input.service_scopes ?? [], app.serviceScopes))
        throw new SecretMustBeRegenerated();
      const change = {
        ...defined({ name: input.name, registrationPolicy: input.registration_policy, bundleId: input.bundle_id }),
        ...(input.service_scopes === undefined ? {} : { serviceScopes: [...new Set(input.service_scopes)] }),
        ...(input.is_active === undefined ? {} : { isActive: input.is_active, offWithTenant: false }),
        ...defined({ logoData }),
        ...(merged.branding.logo_url === app.branding.logo_url ? {} : { logoCopy: null }),
        config: merged.config,
        branding: merged.branding,
      };
      const result = await this.apps
        .update(tx, id, change)
        .catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
      // Said again as well: the picture there may be another by now.
      if (input.config?.branding?.logo_url !== undefined) await this.logoCopies.order(tx, result);
      await this.audit.record(tx, ctx, 'app.updated', this.subject(result, { fields }));
      if (logoData !== undefined)
        await this.audit.record(tx, ctx, 'app.logo_changed', this.subject(result, { logo: 'replaced' }));
      return result;
    });
    this.directory.forget();
    return updated;
  }

  /** The new secret; the old one is invalid at once. @throws AppNotFound, InsufficientPermissions */
  async regenerateSecret(ctx: RequestContext, id: string): Promise<string> {
    const secret = newOpaqueToken(this.randomness);
    await this.transactions.run(async (tx) => {
      // Locked, so that nobody hands the app tenant-wide scopes while its admin still passes as the admin of it alone.
      await this.apps.findForUpdate(tx, id);
      const app = await this.getAdministered(ctx, id, tx);
      const belowTenant = !canAdministerTenant(ctx.actor, app.tenantId);
      if (belowTenant && (widensToTenant(app.serviceScopes) || app.isConsoleApp)) throw new InsufficientPermissions();
      await this.apps.update(tx, id, { clientSecretHash: secret.hash, secretKnownToAppAdmin: belowTenant });
      await this.audit.record(tx, ctx, 'app.secret_regenerated', this.subject(app));
    });
    this.directory.forget();
    return secret.token;
  }

  /** The rest of its push settings is `push`'s. */
  switchPush(tx: EntityManager, id: string, on: boolean): Promise<App> {
    return this.apps.update(tx, id, { pushEnabled: on });
  }

  switchWithTenant(tx: EntityManager, tenantId: string, on: boolean): Promise<void> {
    return this.apps.switchWithTenant(tx, tenantId, on);
  }

  countByTenant(tenantIds: readonly string[]): ReturnType<AppsRepository['countByTenant']> {
    return this.apps.countByTenant(tenantIds);
  }

  /** The row, locked. The tenant before the app where its switch matters, in the order of the tenant's own switch. */
  private async lock(tx: EntityManager, id: string, { is_active }: AppUpdate): Promise<App | null> {
    const seen = is_active ? await this.apps.find(id, tx) : null;
    if (seen) await this.tenants.getForUpdate(tx, seen.tenantId);
    return this.apps.findForUpdate(tx, id);
  }

  /** Before the transaction, because decoding takes its time; and only for those who may change the app. */
  private async logoOf(ctx: RequestContext, id: string, input: AppUpdate): Promise<string | undefined> {
    if (!input.config?.branding?.logo_data) return undefined;
    return this.logoIn(input.config, checked(ctx, await this.apps.find(id), input).logoData);
  }

  /** A logo sent within the config, in the form in which it is kept; undefined where it stays as it is. */
  private async logoIn(config: ConfigInput | undefined, current: string | null = null): Promise<string | undefined> {
    const sent = config?.branding?.logo_data;
    if (!sent || sent === current) return undefined;
    return this.images.normalizeDataUri(sent).catch((error: unknown) => {
      if (!(error instanceof UnsupportedImageType)) throw error;
      throw InvalidInput.field('config.branding.logo_data', error.message);
    });
  }

  private async insert(tx: EntityManager, fields: Partial<App>): Promise<NewApp> {
    const secret = newOpaqueToken(this.randomness);
    const row = { id: this.randomness.uuid(), clientSecretHash: secret.hash, ...fields } as App;
    const app = await this.apps.insert(tx, row).catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
    await this.logoCopies.order(tx, app);
    return { app, clientSecret: secret.token };
  }

  private subject(app: App, metadata: Record<string, unknown> = {}) {
    return { tenantId: app.tenantId, appId: app.id, target: { type: 'app', id: app.id }, metadata };
  }
}

const BUNDLE_ID_TAKEN = { uq_apps_bundle_id: () => new BundleIdAlreadyExists() };

/** @throws AppNotFound (platform admins only learn that), InsufficientPermissions */
function checked({ actor }: RequestContext, app: App | null, input: AppUpdate): App {
  if (!app && authorityOf(actor).platform) throw new AppNotFound();
  if (!app || judgeUpdate(actor, app, input) === 'forbidden') throw new InsufficientPermissions();
  return app;
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
