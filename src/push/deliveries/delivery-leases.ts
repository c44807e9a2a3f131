import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { NotificationBatches } from '../notifications/notification-batches.service.js';
import { DeliveriesRepository, type LeasedDelivery } from './deliveries.repository.js';

/** Leases due deliveries; where too few are due, writes what was accepted and is not written yet. */
@Injectable()
export class DeliveryLeases {
  private readonly logger = new Logger(DeliveryLeases.name);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly batches: NotificationBatches,
  ) {}

  /** Writes one batch at most: other apps wait meanwhile. @returns also whether there may be more */
  async lease(
    appId: string,
    limit: number,
    leaseSeconds: number,
  ): Promise<{ leased: LeasedDelivery[]; hasMore: boolean }> {
    const leased = await this.deliveries.lease(appId, limit, leaseSeconds);
    if (leased.length === limit) return { leased, hasMore: true };
    try {
      const hasMore = await this.batches.writeOldest(appId);
      if (hasMore) leased.push(...(await this.deliveries.lease(appId, limit - leased.length, leaseSeconds)));
      return { leased, hasMore };
    } catch (error) {
      if (leased.length === 0) throw error;
      // What has its lease is attempted all the same; the sweep finds the rest.
      this.logger.error(`Batches of notifications: ${failureReason(error)}`);
      return { leased, hasMore: false };
    }
  }

  release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    return this.deliveries.release(deliveries);
  }

  listDue(): Promise<string[]> {
    return this.deliveries.listDue();
  }
}
