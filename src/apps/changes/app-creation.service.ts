import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { requireRecentSignIn } from '../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { addsAuthority } from '../settings/administrative-roles.rules.js';
import { judgeCreate, widensToTenant } from '../settings/app-access.rules.js';
import { AppChanges } from './app-changes.js';
import { workingScopes } from '../settings/app-config.rules.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG, DEFAULT_SERVICE_SCOPES } from '../app/app-config.js';
import type { AppCreate } from '../settings/app.dto.js';
import { type NewApp, NewApps } from './new-apps.js';
import { SubmittedConfig } from '../settings/submitted-config.js';

/** Creates apps in a tenant, for its administrators and for service tokens. */
@Injectable()
export class AppCreationService {
  constructor(
    private readonly submitted: SubmittedConfig,
    private readonly tenants: TenantsService,
    private readonly newApps: NewApps,
    private readonly changes: AppChanges,
  ) {}

  /** @throws InsufficientPermissions, TenantNotFound, InvalidInput, BundleIdAlreadyExists, TooManyApps,
   * ReauthenticationRequired */
  async create(ctx: RequestContext, input: AppCreate): Promise<NewApp> {
    if (judgeCreate(ctx.actor, input) === 'forbidden') throw new InsufficientPermissions();
    const merged = this.submitted.merge({ config: DEFAULT_CONFIG, branding: DEFAULT_BRANDING }, input.config);
    const { auto_assign_roles: automatic } = merged.config;
    if (widensToTenant(input.service_scopes ?? []) || addsAuthority([], automatic)) requireRecentSignIn(ctx);
    const sender = { actor: ctx.actor, tenantId: input.tenant_id, appId: null };
    const pictures = await this.submitted.pictures(sender, input.config);
    return this.changes.create(async (tx) => {
      const tenant = await this.tenants.getForUpdate(tx, input.tenant_id);
      const created = await this.newApps.insert(tx, {
        tenantId: tenant.id,
        name: input.name,
        bundleId: input.bundle_id,
        registrationPolicy: input.registration_policy ?? 'invite',
        isActive: tenant.isActive,
        offWithTenant: !tenant.isActive,
        serviceScopes: [...new Set(input.service_scopes ?? workingScopes(defaultScopes(ctx.actor), merged.config))],
        ...pictures,
        ...merged,
      });
      await this.changes.record(tx, ctx, 'app.created', created.app, { name: created.app.name });
      return created;
    });
  }
}

/** A service token cannot give the new app a scope that it does not have itself. */
function defaultScopes(actor: Actor): string[] {
  return DEFAULT_SERVICE_SCOPES.filter((scope) => actor.type !== 'service' || actor.scopes.has(scope));
}
