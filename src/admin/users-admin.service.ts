import { Injectable } from '@nestjs/common';
import type { App } from '../apps/app.entity.js';
import { AppsService } from '../apps/apps.service.js';
import { AuditService } from '../audit/audit.service.js';
import { type Actor, authorityOf, canAdministerApp, canAdministerTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { Transactions } from '../database/transactions.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import type { PeopleFilter } from '../enrollment/people-list.query.js';
import type { PeoplePage } from '../enrollment/people.repository.js';
import { PeopleService, peopleScope } from '../enrollment/people.service.js';
import { LinkedAccountsService } from '../auth/providers/linked/linked-accounts.service.js';
import { PasswordPolicyService, type PasswordRemark } from '../auth/credentials/password/password-policy.service.js';
import { SsoSessionsService } from '../auth/session/sso-sessions.service.js';
import { TenantsService } from '../tenants/tenants.service.js';
import type { User } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { TenantAdminChanges } from './tenant-admins/tenant-admin-changes.service.js';
import { TenantAuthority } from './tenant-admins/tenant-authority.service.js';
import { NewAdminNotice } from './people/new-admin-notice.service.js';
import type { UserCreate } from './people/user.dto.js';
import { PushDevicesService } from '../push/devices/push-devices.service.js';
import type { UserInDetail } from './user-detail.view.js';

/** Roles that carry authority over an app: a service token has none to hand on. */
const ADMINISTRATIVE: ReadonlySet<string> = new Set(['admin', 'manager']);

/** Making people and looking at them; what is done to those who are there is in `people/`. */
@Injectable()
export class UsersAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly people: PeopleService,
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly enrollment: EnrollmentService,
    private readonly sessions: SsoSessionsService,
    private readonly linked: LinkedAccountsService,
    private readonly devices: PushDevicesService,
    private readonly newAdmin: NewAdminNotice,
    private readonly authority: TenantAuthority,
    private readonly tenantAdmins: TenantAdminChanges,
    private readonly passwords: PasswordPolicyService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws InsufficientPermissions for a foreign `appId` */
  async list(ctx: RequestContext, filter: Omit<PeopleFilter, 'scope'>): Promise<PeoplePage> {
    if (filter.appId) await this.checkApp(ctx, filter.appId);
    return this.people.list(ctx, filter);
  }

  /** @throws UserAlreadyExists, PasswordRefused, InsufficientPermissions, AppNotFound, InvalidInput */
  async create(ctx: RequestContext, input: UserCreate): Promise<User> {
    const { actor } = ctx;
    const platform = authorityOf(actor).platform;
    if (input.is_platform_admin !== undefined && !platform) throw new InsufficientPermissions();
    if (actor.type === 'service' && input.roles?.some((role) => ADMINISTRATIVE.has(role)))
      throw new InsufficientPermissions();
    const app = await this.appToEnrolIn(ctx, input);
    const remark = input.password ? await this.checkPassword(input.password, input, app) : {};
    const passwordHash = input.password ? await this.users.hashPassword(input.password) : null;
    return this.transactions.run(async (tx) => {
      const user = await this.users.create(tx, {
        email: input.email,
        displayName: input.display_name,
        passwordHash,
        emailVerified: platform && input.email_verified !== false,
        isPlatformAdmin: input.is_platform_admin ?? false,
      });
      await this.audit.record(tx, ctx, 'user.created', {
        userId: user.id,
        tenantId: app?.tenantId ?? null,
        appId: app?.id ?? null,
        target: { type: 'user', id: user.id },
        metadata: { is_platform_admin: user.isPlatformAdmin, ...remark },
      });
      if (user.isPlatformAdmin) await this.newAdmin.send(tx, ctx, user);
      if (app) {
        const roles = input.roles ?? app.config.auto_assign_roles;
        const governed = app.isConsoleApp ? await this.authority.lockTenantForAdminChange(tx, ctx, app.tenantId) : null;
        await this.enrollment.enrol(tx, ctx, { userId: user.id, app, roles, status: 'active' });
        if (governed)
          await this.tenantAdmins.added(tx, ctx, {
            tenant: governed,
            console: app,
            userId: user.id,
            email: user.email,
          });
      }
      return user;
    });
  }

  /** @throws UserNotFound also for a user outside the caller's authority */
  async detail(ctx: RequestContext, userId: string): Promise<UserInDetail> {
    const user = await this.people.getVisible(ctx, userId);
    const scope = peopleScope(ctx.actor);
    const [enrollments, sessions, linkedAccounts, devices] = await Promise.all([
      this.enrollment.listOfUser(userId, scope),
      scope.everything ? this.sessions.listLive(userId) : [],
      // A tenant must not learn which other apps a user belongs to.
      scope.everything ? this.linked.listOf(userId) : [],
      this.devices.listOfUser(userId),
    ]);
    const appIds = new Set(enrollments.map(({ enrollment }) => enrollment.appId));
    const tenantIds = [...new Set(enrollments.map(({ tenantId }) => tenantId))];
    const tenants = await this.tenants.list({ everything: false, tenantIds, appIds: [] });
    const tenantNames = new Map(tenants.map((tenant) => [tenant.id, tenant.name]));
    return {
      user,
      enrollments,
      tenantNames,
      sessions,
      linkedAccounts,
      devices: devices.filter(({ appId }) => scope.everything || appIds.has(appId)),
    };
  }

  private async appToEnrolIn(ctx: RequestContext, input: UserCreate): Promise<App | null> {
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

  private async checkPassword(
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

  private async checkApp(ctx: RequestContext, appId: string): Promise<void> {
    if (!(await this.mayList(ctx.actor, appId))) throw new InsufficientPermissions();
  }

  private async mayList(actor: Actor, appId: string): Promise<boolean> {
    if (actor.type === 'service') return actor.appId === appId;
    if (authorityOf(actor).platform) return true;
    const app = await this.apps.find(appId);
    return app !== null && canAdministerApp(actor, app);
  }
}
