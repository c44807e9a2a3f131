import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { AccountDeletionsRepository } from '../account-deletion/account-deletions.repository.js';
import { type DeletedBy, DeletionRecords } from './deletion-records.js';
import { RemovalTransactions } from './removal-transactions.js';

/**
 * The deletion of an account, by an administrator, its owner, or the owner of an address that it has never verified.
 * Runs in the caller's transaction, which is one of `RemovalTransactions`.
 */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: UsersService,
    private readonly records: DeletionRecords,
    private readonly notices: LogoutNotices,
    private readonly deletions: AccountDeletionsRepository,
    private readonly transactions: RemovalTransactions,
  ) {}

  /** @throws UserNotFound */
  lock(tx: EntityManager, userId: string): Promise<User> {
    return this.users.getForUpdate(tx, userId);
  }

  /** Deletes everything that belongs to the user, except for audit entries. */
  async remove(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    by: DeletedBy = null,
    lastAdminOf: readonly string[] = [],
  ): Promise<void> {
    await this.transactions.requireFewNotifications(tx, user.id);
    await this.records.write(tx, ctx, user, { by, lastAdminOf });
    await this.notices.enqueueForAllApps(tx, user.id);
    await this.deletions.markInvites(tx, user.id);
    await this.users.delete(tx, user.id);
  }

  /**
   * For the owner of the mailbox of an unverified account. Only a platform admin's account is kept: otherwise an
   * attacker who gives a stranger's address any admin role would keep it. An app without another admin is left to its
   * tenant's admins, whose audit log says so. Suspensions are deleted too; `DisownedAccounts` keeps them.
   * @param user from {@link lock}
   * @returns whether it was deleted
   */
  async removeUnproven(tx: EntityManager, ctx: RequestContext, user: User): Promise<boolean> {
    if (user.emailVerified || user.isPlatformAdmin) return false;
    await this.deletions.lockFellowAdmins(tx, user.id);
    const lastAdminOf = await this.deletions.listAppsOfLastAdmin(tx, user.id);
    await this.remove(tx, ctx, user, 'address_owner', lastAdminOf);
    return true;
  }
}
