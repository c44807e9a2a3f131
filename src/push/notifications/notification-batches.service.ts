import { Injectable } from '@nestjs/common';
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
  constructor(private readonly notifications: NotificationsRepository) {}

  /** A notification, whether its batch has been written or not. */
  async find(id: string): Promise<Notification | null> {
    const known = await this.notifications.find(id);
    if (known) return known;
    await this.notifications.writeBatch(batchIdOf(id));
    return this.notifications.find(id);
  }

  /** Writes what this app has waiting, the newest first. */
  async writeNewest(appId: string): Promise<void> {
    const waiting = await this.notifications.listNewestBatches(appId, MOST_WAITED_FOR);
    for (const id of waiting) await this.notifications.writeBatch(id);
  }

  /** Writes the oldest that this app has waiting. @returns whether there was one */
  async writeOldest(appId: string): Promise<boolean> {
    const id = await this.notifications.findOldestBatch(appId);
    if (id !== null) await this.notifications.writeBatch(id);
    return id !== null;
  }
}
