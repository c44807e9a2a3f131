import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { NotificationBatches } from '../notifications/notification-batches.service.js';
import { DeliveriesRepository, type LeasedDelivery } from './deliveries.repository.js';

/**
 * Leases due deliveries. If too few are due, or an accepted batch is older than they are, writes the oldest batch that
 * is not written yet. A batch does not wait for retries, as a single notification does not.
 */
@Injectable()
export class DeliveryLeases {
  private readonly logger = new Logger(DeliveryLeases.name);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly batches: NotificationBatches,
  ) {}

  /**
   * Writes at most one batch, because other apps wait meanwhile.
   * @returns also whether there may be more
   */
  async lease(
    appId: string,
    limit: number,
    leaseSeconds: number,
  ): Promise<{ leased: LeasedDelivery[]; hasMore: boolean }> {
    const { leased, isFull, batchIsFirst } = await this.deliveries.lease(appId, limit, leaseSeconds);
    if (isFull && !batchIsFirst) return { leased, hasMore: true };
    try {
      const hasMore = (await this.batches.writeOldest(appId)) || isFull;
      if (hasMore && !isFull)
        leased.push(...(await this.deliveries.lease(appId, limit - leased.length, leaseSeconds)).leased);
      return { leased, hasMore };
    } catch (error) {
      if (leased.length === 0) throw error;
      // The deliveries that were leased are attempted anyway; the sweep finds the rest.
      this.logger.error(`Batches of notifications: ${failureReason(error)}`);
      return { leased, hasMore: isFull };
    }
  }

  release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    return this.deliveries.release(deliveries);
  }

  listDue(): Promise<string[]> {
    return this.deliveries.listDue();
  }
}
