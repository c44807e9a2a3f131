import { Injectable } from '@nestjs/common';
import type { App } from '../apps/app.entity.js';
import { AppsService } from '../apps/apps.service.js';
import { canAdministerTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { PasswordPolicyService, type PasswordRemark } from '../auth/credentials/password/password-policy.service.js';
import { TenantsService } from '../tenants/tenants.service.js';
import type { UserCreate } from './people/user.dto.js';

/** Whether a caller may create this account in this app, and with this password. */
@Injectable()
export class NewUserChecks {
  constructor(
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly passwords: PasswordPolicyService,
  ) {}

  /** @throws InsufficientPermissions, AppNotFound, InvalidInput */
  async appToEnrolIn(ctx: RequestContext, input: UserCreate): Promise<App | null> {
    const { actor } = ctx;
    const appId = actor.type === 'service' ? actor.appId : input.app_id?.toLowerCase();
    if (actor.type === 'service' && input.app_id && input.app_id.toLowerCase() !== actor.appId)
      throw new InsufficientPermissions();
    if (!appId) {
      if (input.roles !== undefined)
        throw InvalidInput.field('app_id', 'Field required where roles are given', 'missing');
      return null;
    }
    const app = actor.type === 'service' ? await this.apps.get(appId) : await this.apps.getAdministered(ctx, appId);
    if (app.isConsoleApp && !canAdministerTenant(actor, app.tenantId)) throw new InsufficientPermissions();
    return app;
  }

  /** @throws PasswordRefused */
  async password(
    password: string,
    { email, display_name, is_platform_admin }: UserCreate,
    app: App | null,
  ): Promise<PasswordRemark> {
    const target = app && { app, tenant: await this.tenants.get(app.tenantId) };
    return this.passwords.check(
      password,
      { userId: null, email, displayName: display_name, becomesPlatformAdmin: is_platform_admin === true },
      target,
    );
  }
}
