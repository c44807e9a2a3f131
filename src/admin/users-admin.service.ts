import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../apps/app.entity.js';
import { AppsService } from '../apps/apps.service.js';
import { AuditService } from '../audit/audit.service.js';
import { type Actor, authorityOf, governsApp, governsTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { Transactions } from '../database/transactions.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import type { PeopleFilter } from '../enrollment/people-list.query.js';
import type { PeoplePage } from '../enrollment/people.repository.js';
import { PeopleService, peopleScope } from '../enrollment/people.service.js';
import { SsoSessionsService } from '../auth/session/sso-sessions.service.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { RefreshTokensService } from '../tokens/grants/refresh-tokens.service.js';
import { judgePassword, strictestMinimum } from '../users/password.rules.js';
import type { User } from '../users/user.entity.js';
import { PasswordTooShort } from '../users/users.errors.js';
import { UsersService } from '../users/users.service.js';
import type { UserCreate } from './user.dto.js';
import type { UserInDetail } from './user-detail.view.js';

/** Roles that carry authority over an app: a service token has none to hand on. */
const ADMINISTRATIVE: ReadonlySet<string> = new Set(['admin', 'manager']);

/** What administrators do with people: make them, look at them, give roles, suspend. */
@Injectable()
export class UsersAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly people: PeopleService,
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly enrollment: EnrollmentService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly sessions: SsoSessionsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws InsufficientPermissions for a foreign `appId` */
  async list(ctx: RequestContext, filter: Omit<PeopleFilter, 'scope'>): Promise<PeoplePage> {
    if (filter.appId) await this.checkApp(ctx, filter.appId);
    return this.people.list(ctx, filter);
  }

  /** @throws UserAlreadyExists, PasswordTooShort, InsufficientPermissions, AppNotFound, InvalidInput */
  async create(ctx: RequestContext, input: UserCreate): Promise<User> {
    const { actor } = ctx;
    const platform = authorityOf(actor).platform;
    if (input.is_platform_admin !== undefined && !platform) throw new InsufficientPermissions();
    if (actor.type === 'service' && input.roles?.some((role) => ADMINISTRATIVE.has(role)))
      throw new InsufficientPermissions();
    const app = await this.appToEnrolIn(ctx, input);
    const passwordHash = input.password ? await this.hashChecked(input.password, app) : null;
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
        metadata: { is_platform_admin: user.isPlatformAdmin },
      });
      if (app) {
        const roles = input.roles ?? app.config.auto_assign_roles;
        await this.enrollment.enrol(tx, ctx, { userId: user.id, app, roles, status: 'active' });
      }
      return user;
    });
  }

  /** @throws UserNotFound also for somebody outside the caller's authority */
  async detail(ctx: RequestContext, userId: string): Promise<UserInDetail> {
    const user = await this.people.getVisible(ctx, userId);
    const scope = peopleScope(ctx.actor);
    const [enrollments, sessions] = await Promise.all([
      this.enrollment.listOfUser(userId, scope),
      scope.everything ? this.sessions.listLive(userId) : [],
    ]);
    const tenantIds = [...new Set(enrollments.map(({ tenantId }) => tenantId))];
    const tenants = await this.tenants.list({ everything: false, tenantIds, appIds: [] });
    return { user, enrollments, tenantNames: new Map(tenants.map((tenant) => [tenant.id, tenant.name])), sessions };
  }

  /** Replaces the roles in one app; enrols a visible user who is not enrolled. @returns the roles now */
  async setRoles(ctx: RequestContext, userId: string, appId: string, roles: readonly string[]): Promise<string[]> {
    return this.transactions.run(async (tx) => {
      const app = await this.governedForPeople(ctx, appId, tx);
      await this.people.getVisible(ctx, userId, tx);
      return this.enrollment.setRoles(tx, ctx, userId, app, roles);
    });
  }

  /** Every refresh token of the user in that app dies with it. */
  async suspend(ctx: RequestContext, userId: string, appId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const app = await this.governedForPeople(ctx, appId, tx);
      await this.people.getVisible(ctx, userId, tx);
      await this.enrollment.suspend(tx, ctx, userId, app);
      await this.refreshTokens.revokeAll(tx, userId, appId, 'suspended');
    });
  }

  async reactivate(ctx: RequestContext, userId: string, appId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const app = await this.governedForPeople(ctx, appId, tx);
      await this.people.getVisible(ctx, userId, tx);
      await this.enrollment.reactivate(tx, ctx, userId, app);
    });
  }

  /** Enrollment in a Console app is authority over the tenant, so only whoever governs the tenant deals with it. */
  private async governedForPeople(ctx: RequestContext, appId: string, tx: EntityManager): Promise<App> {
    const app = await this.apps.getGoverned(ctx, appId, tx);
    if (app.isConsoleApp && !governsTenant(ctx.actor, app.tenantId)) throw new InsufficientPermissions();
    return app;
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
    const app = actor.type === 'service' ? await this.apps.get(appId) : await this.apps.getGoverned(ctx, appId);
    if (app.isConsoleApp && !governsTenant(actor, app.tenantId)) throw new InsufficientPermissions();
    return app;
  }

  private async hashChecked(password: string, app: App | null): Promise<string> {
    const minimum = strictestMinimum(app ? [(await this.tenants.get(app.tenantId)).minPasswordLength] : []);
    if (judgePassword(password, minimum) !== 'ok') throw new PasswordTooShort(minimum);
    return this.users.hashPassword(password);
  }

  private async checkApp(ctx: RequestContext, appId: string): Promise<void> {
    if (!(await this.mayList(ctx.actor, appId))) throw new InsufficientPermissions();
  }

  private async mayList(actor: Actor, appId: string): Promise<boolean> {
    if (actor.type === 'service') return actor.appId === appId;
    if (authorityOf(actor).platform) return true;
    const app = await this.apps.find(appId);
    return app !== null && governsApp(actor, app);
  }
}
