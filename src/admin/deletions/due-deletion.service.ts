import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountDeletionsRepository } from '../../auth/account-deletion/account-deletions.repository.js';
import { DeletionNotices } from '../../auth/account-deletion/deletion-notices.js';
import { judgeOwnDeletion } from '../../auth/account-deletion/own-deletion.rules.js';
import { AccountRemoval } from '../../auth/account-removal/account-removal.js';
import { RemovalTransactions } from '../../auth/account-removal/removal-transactions.js';
import { systemContext } from '../../common/request-context.js';
import { UserNotFound } from '../../users/users.errors.js';

const CONTEXT = systemContext('account-deletion');

/** Deletes accounts whose waiting time is over. */
@Injectable()
export class DueDeletion {
  constructor(
    private readonly deletions: AccountDeletionsRepository,
    private readonly notices: DeletionNotices,
    private readonly removal: AccountRemoval,
    private readonly transactions: RemovalTransactions,
  ) {}

  /**
   * Checks the conditions again: the tenant may have disallowed deletion, or the user may have become an admin since
   * the request.
   */
  async run(userId: string): Promise<void> {
    try {
      await this.transactions.run(userId, (tx) => this.deleteIn(tx, userId));
    } catch (error) {
      // Another worker has already deleted the account.
      if (!(error instanceof UserNotFound)) throw error;
    }
  }

  private async deleteIn(tx: EntityManager, userId: string): Promise<void> {
    const user = await this.removal.lock(tx, userId);
    if (!(await this.deletions.isDue(tx, userId))) return;
    await this.deletions.lockFellowAdmins(tx, userId);
    const verdict = judgeOwnDeletion(await this.deletions.readFacts(userId, tx));
    if (verdict !== 'ok') {
      await this.deletions.end(tx, userId);
      return this.notices.cancelled(tx, CONTEXT, user, verdict);
    }
    await this.notices.done(tx, user);
    await this.removal.remove(tx, CONTEXT, user, 'owner');
  }
}
