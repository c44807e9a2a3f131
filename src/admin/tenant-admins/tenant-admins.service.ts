import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app.entity.js';
import { AppsService } from '../../apps/apps.service.js';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { Transactions } from '../../database/transactions.js';
import { type AppMember, AppMembers } from '../../enrollment/app-members.js';
import { ForbiddenTransition } from '../../enrollment/enrollment.errors.js';
import { MEMBERSHIP_ACTIONS } from '../../enrollment/membership-actions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { PeopleService } from '../../enrollment/people.service.js';
import { InvitesService } from '../../invites/invites.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { UsersService } from '../../users/users.service.js';
import { TenantAdminChanges } from './tenant-admin-changes.service.js';
import { TenantAuthority } from './tenant-authority.service.js';
import type { TenantAdminAssign } from './tenant-admin.dto.js';
import type { NamedAdmin } from './tenant-admin.view.js';

/** Enrollment in the Console app is the authority; the role says so to people. */
const ROLES = ['user', 'admin'];

/** A tenant's admins: the people of its Console app. */
@Injectable()
export class TenantAdminsService {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly users: UsersService,
    private readonly people: PeopleService,
    private readonly members: AppMembers,
    private readonly enrollment: EnrollmentService,
    private readonly entries: EntryCache,
    private readonly invites: InvitesService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly authority: TenantAuthority,
    private readonly news: TenantAdminChanges,
    private readonly transactions: Transactions,
  ) {}

  /** Newest first. @throws InsufficientPermissions, TenantNotFound */
  async list(
    ctx: RequestContext,
    tenantId: string,
    page: { page: number; limit: number },
  ): Promise<{ members: AppMember[]; total: number }> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    return this.members.list((await this.apps.getConsole(tenantId)).id, page);
  }

  /** One of them. @throws InsufficientPermissions, TenantNotFound */
  async find(ctx: RequestContext, tenantId: string, userId: string): Promise<AppMember | null> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    return this.members.find((await this.apps.getConsole(tenantId)).id, userId);
  }

  /** @throws InsufficientPermissions, TenantNotFound, UserNotFound, InvalidInput, ForbiddenTransition */
  async add(ctx: RequestContext, tenantId: string, input: TenantAdminAssign): Promise<NamedAdmin> {
    const named = await this.transactions.run(async (tx) => {
      const { tenant, console } = await this.governed(ctx, tenantId, tx);
      return this.addIn(tx, ctx, tenant, console, input);
    });
    if ('member' in named) this.entries.forget(named.member.userId);
    return named;
  }

  /**
   * The same in the transaction of a caller who has made sure that it may be done. An account gains nothing by an
   * address that its owner has not proven: it is invited like anyone.
   */
  async addIn(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    console: App,
    { email, user_id }: TenantAdminAssign,
  ): Promise<NamedAdmin> {
    if (user_id !== undefined && email !== undefined)
      throw InvalidInput.field('user_id', 'Either email or user_id, not both');
    if (user_id !== undefined) {
      const user = await this.people.getVisible(ctx, user_id, tx);
      return { member: await this.enrol(tx, ctx, tenant, console, user.id) };
    }
    if (email === undefined) throw InvalidInput.field('email', 'Field required', 'missing');
    const user = await this.users.findByEmail(email, tx);
    if (user?.emailVerified && user.isActive) return { member: await this.enrol(tx, ctx, tenant, console, user.id) };
    const { invite } = await this.invites.createIn(tx, ctx, console.id, { roles: ROLES, send_to_email: email });
    const metadata = { email, by: 'invite', invite: invite.id };
    await this.news.added(tx, ctx, { tenant, console, userId: null, email, metadata });
    return { invited: { email, createdAt: invite.createdAt } };
  }

  /**
   * Their tokens for the Console die with it. Two admins who remove each other at the same moment leave one: the second
   * is no longer an admin at that time.
   * @throws InsufficientPermissions, TenantNotFound, CannotRemoveYourself, EnrollmentNotFound
   */
  async remove(ctx: RequestContext, tenantId: string, userId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const { tenant, console } = await this.governed(ctx, tenantId, tx);
      await this.enrollment.act(tx, ctx, MEMBERSHIP_ACTIONS.remove, userId, console);
      await this.refreshTokens.revokeAll(tx, userId, console.id, 'removed');
      await this.news.removed(tx, ctx, { tenant, console, userId });
    });
    this.entries.forget(userId);
  }

  /** Naming an admin again changes nothing. @throws ForbiddenTransition for one who is suspended or waiting */
  private async enrol(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    console: App,
    userId: string,
  ): Promise<AppMember> {
    const made = await this.enrollment.enrol(tx, ctx, { userId, app: console, roles: ROLES, status: 'active' });
    const member = (await this.members.find(console.id, userId, tx))!;
    if (member.status !== 'active') throw new ForbiddenTransition('Enrollment is not active');
    if (!made) return member;
    await this.news.added(tx, ctx, { tenant, console, userId, email: member.email });
    return member;
  }

  private async governed(
    ctx: RequestContext,
    tenantId: string,
    tx: EntityManager,
  ): Promise<{ tenant: Tenant; console: App }> {
    const tenant = await this.authority.lockTenantForAdminChange(tx, ctx, tenantId);
    return { tenant, console: await this.apps.getConsole(tenantId, tx) };
  }
}
