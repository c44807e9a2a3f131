import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { type Actor, authorityOf, governsApp, governsTenant, type Scope } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import { Randomness } from '../common/randomness.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { newOpaqueToken } from '../crypto/opaque-token.js';
import { Transactions } from '../database/transactions.js';
import { translateViolation } from '../database/violated-constraint.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { judgeCreate, judgeUpdate } from './app-access.rules.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG, DEFAULT_SERVICE_SCOPES } from './app-config.js';
import { judgeConfig, mergeConfig } from './app-config.rules.js';
import { AppDirectory } from './app-directory.js';
import type { AppCreate, AppUpdate } from './app.dto.js';
import { App } from './app.entity.js';
import { AppNotFound, BundleIdAlreadyExists } from './apps.errors.js';
import { AppsRepository } from './apps.repository.js';

export interface NewApp {
  readonly app: App;
  /** Shown this once. */
  readonly clientSecret: string;
}

@Injectable()
export class AppsService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly directory: AppDirectory,
    private readonly tenants: TenantsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
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
  async getGoverned(ctx: RequestContext, id: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.find(id, tx);
    if (!app && authorityOf(ctx.actor).platform) throw new AppNotFound();
    if (!app || !governsApp(ctx.actor, app)) throw new InsufficientPermissions();
    return app;
  }

  getPlatformConsole(): Promise<App> {
    return this.apps.getPlatformConsole();
  }

  /** Rows cut to the caller; a foreign `tenantId` is refused. Service tokens see their tenant without the Console app. */
  async list(ctx: RequestContext, tenantId?: string): Promise<App[]> {
    const { actor } = ctx;
    if (tenantId && !mayListTenant(actor, tenantId)) throw new InsufficientPermissions();
    const apps = await this.apps.list(scopeOf(actor), tenantId);
    return actor.type === 'service' ? apps.filter((app) => !app.isConsoleApp) : apps;
  }

  /** @throws InsufficientPermissions, TenantNotFound, InvalidInput, BundleIdAlreadyExists */
  async create(ctx: RequestContext, input: AppCreate): Promise<NewApp> {
    if (judgeCreate(ctx.actor, input) === 'forbidden') throw new InsufficientPermissions();
    const merged = mergeConfig({ config: DEFAULT_CONFIG, branding: DEFAULT_BRANDING }, input.config);
    const faults = judgeConfig(merged);
    if (faults.length > 0) throw new InvalidInput(faults);
    const created = await this.transactions.run(async (tx) => {
      const tenant = await this.tenants.getForUpdate(tx, input.tenant_id);
      const made = await this.insert(tx, {
        tenantId: tenant.id,
        name: input.name,
        bundleId: input.bundle_id,
        registrationPolicy: input.registration_policy ?? 'invite',
        isActive: tenant.isActive,
        offWithTenant: !tenant.isActive,
        serviceScopes: input.service_scopes ?? [...DEFAULT_SERVICE_SCOPES],
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

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput, BundleIdAlreadyExists */
  async update(ctx: RequestContext, id: string, input: AppUpdate): Promise<App> {
    const updated = await this.transactions.run(async (tx) => {
      const app = await this.apps.findForUpdate(tx, id);
      if (!app && authorityOf(ctx.actor).platform) throw new AppNotFound();
      if (!app || judgeUpdate(ctx.actor, app, input) === 'forbidden') throw new InsufficientPermissions();
      const { is_console_app: _ignored, ...said } = defined(input);
      const fields = Object.keys(said);
      if (fields.length === 0) return app;
      const merged = mergeConfig(app, input.config);
      const faults = judgeConfig(merged);
      if (faults.length > 0) throw new InvalidInput(faults);
      const change = {
        ...defined({ name: input.name, registrationPolicy: input.registration_policy, bundleId: input.bundle_id }),
        ...defined({ serviceScopes: input.service_scopes }),
        ...(input.is_active === undefined ? {} : { isActive: input.is_active, offWithTenant: false }),
        config: merged.config,
        branding: merged.branding,
      };
      const result = await this.apps
        .update(tx, id, change)
        .catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
      await this.audit.record(tx, ctx, 'app.updated', this.subject(result, { fields }));
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
      const app = await this.getGoverned(ctx, id, tx);
      const widensToTenant = app.serviceScopes.some((scope) => scope.startsWith('apps:'));
      if (!governsTenant(ctx.actor, app.tenantId) && (widensToTenant || app.isConsoleApp))
        throw new InsufficientPermissions();
      await this.apps.update(tx, id, { clientSecretHash: secret.hash });
      await this.audit.record(tx, ctx, 'app.secret_regenerated', this.subject(app));
    });
    this.directory.forget();
    return secret.token;
  }

  switchWithTenant(tx: EntityManager, tenantId: string, on: boolean): Promise<void> {
    return this.apps.switchWithTenant(tx, tenantId, on);
  }

  countByTenant(tenantIds: readonly string[]): ReturnType<AppsRepository['countByTenant']> {
    return this.apps.countByTenant(tenantIds);
  }

  private async insert(tx: EntityManager, fields: Partial<App>): Promise<NewApp> {
    const secret = newOpaqueToken(this.randomness);
    const row = { id: this.randomness.uuid(), clientSecretHash: secret.hash, ...fields } as App;
    const app = await this.apps.insert(tx, row).catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
    return { app, clientSecret: secret.token };
  }

  private subject(app: App, metadata: Record<string, unknown> = {}) {
    return { tenantId: app.tenantId, appId: app.id, target: { type: 'app', id: app.id }, metadata };
  }
}

const BUNDLE_ID_TAKEN = { uq_apps_bundle_id: () => new BundleIdAlreadyExists() };

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function mayListTenant(actor: Actor, tenantId: string): boolean {
  return actor.type === 'service' ? actor.tenantId === tenantId : governsTenant(actor, tenantId);
}

/** Which apps a caller's lists show. */
function scopeOf(actor: Actor): Scope {
  if (actor.type === 'service') return { everything: false, tenantIds: [actor.tenantId], appIds: [] };
  const authority = authorityOf(actor);
  return {
    everything: authority.platform,
    tenantIds: [...authority.tenants],
    appIds: [...authority.appsAdministered, ...authority.appsManaged],
  };
}
