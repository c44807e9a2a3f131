import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EntryCache } from '../../enrollment/memberships/entry-cache.js';
import { TenantAdminNaming } from './tenant-admin-naming.js';
import { TenantAdminEnrollment } from './tenant-admin-enrollment.js';
import { TenantAuthority } from './tenant-authority.service.js';
import type { TenantAdminAssign } from './tenant-admin.dto.js';
import type { NamedAdmin } from './tenant-admin.view.js';

/** Adds and removes a tenant's admins, the members of its Console app. */
@Injectable()
export class TenantAdminsService {
  constructor(
    private readonly authority: TenantAuthority,
    private readonly naming: TenantAdminNaming,
    private readonly newEnrollment: TenantAdminEnrollment,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
  ) {}

  /** @throws InsufficientPermissions, TenantNotFound, UserNotFound, InvalidInput, ForbiddenTransition */
  async add(ctx: RequestContext, tenantId: string, input: TenantAdminAssign): Promise<NamedAdmin> {
    const named = await this.transactions.run(async (tx) => {
      const { tenant, console } = await this.authority.lockConsoleForAdminChange(tx, ctx, tenantId);
      return this.naming.name(tx, ctx, tenant, console, input);
    });
    if ('member' in named) this.entries.forget(named.member.userId);
    return named;
  }

  /**
   * Revokes their tokens for the Console as well. If two admins remove each other at the same moment, one remains: the
   * second request is refused, because its sender is no longer an admin.
   * @throws InsufficientPermissions, TenantNotFound, CannotRemoveYourself, EnrollmentNotFound
   */
  async remove(ctx: RequestContext, tenantId: string, userId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const { tenant, console } = await this.authority.lockConsoleForAdminChange(tx, ctx, tenantId);
      await this.newEnrollment.remove(tx, ctx, tenant, console, userId);
    });
    this.entries.forget(userId);
  }
}
