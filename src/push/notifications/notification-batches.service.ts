import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { NotificationNotReadable } from '../errors/push.errors.js';
import { batchIdOf } from './batch-ids.rules.js';
import type { Notification } from './notification.entity.js';
import { NotificationsRepository } from './notifications.repository.js';

/** Most batches that a list of notifications waits for. */
const MOST_WAITED_FOR = 50;

/**
 * Batches are written by the worker, or by the first who looks: from the moment of the answer on, a notification can be read
 * (docs/decisions/0087).
 */
@Injectable()
export class NotificationBatches {
  private readonly logger = new Logger(NotificationBatches.name);

  constructor(private readonly notifications: NotificationsRepository) {}

  /** A notification, whether its batch has been written or not. @throws NotificationNotReadable */
  async find(id: string): Promise<Notification | null> {
    const known = await this.notifications.find(id);
    if (known) return known;
    const batchId = batchIdOf(id);
    await this.notifications.writeBatch(batchId);
    const written = await this.notifications.find(id);
    if (!written && (await this.notifications.isWaiting(batchId))) throw new NotificationNotReadable();
    return written;
  }

  /** Writes what this app has waiting, the newest first. */
  async writeNewest(appId: string): Promise<void> {
    const waiting = await this.notifications.listNewestBatches(appId, MOST_WAITED_FOR);
    for (const id of waiting) await this.notifications.writeBatch(id);
  }

  /** Writes the oldest that this app has waiting, or lets it wait for its next attempt. @returns whether there was one */
  async writeOldest(appId: string): Promise<boolean> {
    const batch = await this.notifications.leaseOldestBatch(appId);
    if (!batch) return false;
    try {
      await this.notifications.writeBatch(batch.id, batch.attempt);
    } catch (error) {
      // Those after it need not wait for it.
      const what = `Batch ${batch.id} of app ${appId} could not be written, attempt ${batch.attempt}`;
      this.logger.error(`${what}: ${failureReason(error)}`);
    }
    return true;
  }
}
