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
  async remove(tx: EntityManager, ctx: RequestContext, user: User, by: DeletedBy = null): Promise<void> {
    await this.records.write(tx, ctx, user, by);
    await this.notices.enqueueForAllApps(tx, user.id);
    await this.users.delete(tx, user.id);
  }

  /**
   * For the owner of the mailbox that the account names without having proven it. As with their own deletion, no account goes that administers the
   * platform or a tenant, or an app alone.
   * @param user from {@link lock} @returns whether it is gone
   */
  async removeUnproven(tx: EntityManager, ctx: RequestContext, user: User): Promise<boolean> {
    await this.deletions.lockFellowAdmins(tx, user.id);
    const { isOperator, isLastAppAdmin } = await this.deletions.readFacts(user.id, tx);
    if (user.emailVerified || isOperator || isLastAppAdmin) return false;
    await this.remove(tx, ctx, user, 'address_owner');
    return true;
  }
}
