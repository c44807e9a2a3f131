import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanges } from '../../enrollment/memberships/account-changes.js';
import { NotificationsRepository } from '../../push/notifications/notifications.repository.js';
import { AccountDeletionsRepository } from '../account-deletion/account-deletions.repository.js';

/** Most notifications that are deleted with their user, in one statement. */
const MAX_NOTIFICATIONS = 1_000;
/** The second attempt finds few rows, because apps can send no more. */
const ATTEMPTS = 3;

/** Cancels a transaction that would delete a user with too many notifications. */
class TooManyNotifications extends Error {
  constructor(readonly userId: string) {
    super(`User ${userId} has more than ${MAX_NOTIFICATIONS} notifications`);
  }
}

/**
 * Transactions that may delete an account. One statement deletes a user with everything that belongs to them. An app can
 * send a user so many notifications that this statement would exceed its timeout, so they are deleted before, in batches.
 */
@Injectable()
export class RemovalTransactions {
  constructor(
    private readonly changes: AccountChanges,
    private readonly deletions: AccountDeletionsRepository,
    private readonly notifications: NotificationsRepository,
  ) {}

  /**
   * Nothing is deleted in advance unless the transaction has decided to delete the account. It runs and judges again
   * afterwards.
   * @param userId the account that changes; the transaction may delete another one
   */
  async run<T>(userId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.changes.run(userId, work);
      } catch (error) {
        if (!(error instanceof TooManyNotifications) || attempt === ATTEMPTS) throw error;
        await this.deletions.markTried(error.userId);
        await this.notifications.deleteOfUser(error.userId);
      }
    }
  }

  /** Must be called before an account is deleted. Cancels the transaction if {@link run} must delete rows first. */
  async requireFewNotifications(tx: EntityManager, userId: string): Promise<void> {
    if (await this.notifications.hasMoreThan(tx, userId, MAX_NOTIFICATIONS)) throw new TooManyNotifications(userId);
  }
}
