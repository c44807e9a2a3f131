import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { AccountDeletionsRepository } from '../account-deletion/account-deletions.repository.js';
import { type DeletedBy, DeletionRecords } from './deletion-records.js';

/**
 * What the deletion of an account does, by an administrator, its owner, or the owner of an address that it has never proven. Everything happens in
 * the caller's transaction.
 */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: UsersService,
    private readonly records: DeletionRecords,
    private readonly notices: LogoutNotices,
    private readonly deletions: AccountDeletionsRepository,
  ) {}

  /** @throws UserNotFound */
  lock(tx: EntityManager, userId: string): Promise<User> {
    return this.users.getForUpdate(tx, userId);
  }

  /** With everything that is theirs; what the audit log says of them stays. */
  async remove(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    by: DeletedBy = null,
    lastAdminOf: readonly string[] = [],
  ): Promise<void> {
    await this.records.write(tx, ctx, user, { by, lastAdminOf });
    await this.notices.enqueueForAllApps(tx, user.id);
    await this.users.delete(tx, user.id);
  }

  /**
   * For the owner of the mailbox that the account names without having proven it. Only a platform admin stays: else an attacker who names a stranger’s
   * address as an admin of anything would keep it. An app that has no other admin is left to those of its tenant, whose audit log says so.
   * @param user from {@link lock} @returns whether it is gone
   */
  async removeUnproven(tx: EntityManager, ctx: RequestContext, user: User): Promise<boolean> {
    if (user.emailVerified || user.isPlatformAdmin) return false;
    await this.deletions.lockFellowAdmins(tx, user.id);
    const lastAdminOf = await this.deletions.listAppsOfLastAdmin(tx, user.id);
    await this.remove(tx, ctx, user, 'address_owner', lastAdminOf);
    return true;
  }
}
