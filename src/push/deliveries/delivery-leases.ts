import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { NotificationBatches } from '../notifications/notification-batches.service.js';
import { DeliveriesRepository, type LeasedDelivery } from './deliveries.repository.js';

/** Batches that are written for one lease at most: other apps wait meanwhile. */
const MOST_BATCHES = 10;

/** Leases due deliveries; where too few are due, writes what was accepted and is not written yet. */
@Injectable()
export class DeliveryLeases {
  private readonly logger = new Logger(DeliveryLeases.name);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly batches: NotificationBatches,
  ) {}

  async lease(appId: string, limit: number, leaseSeconds: number): Promise<LeasedDelivery[]> {
    const leased = await this.deliveries.lease(appId, limit, leaseSeconds);
    try {
      for (let written = 0; leased.length < limit && written < MOST_BATCHES; written++) {
        if (!(await this.batches.writeOldest(appId))) break;
        leased.push(...(await this.deliveries.lease(appId, limit - leased.length, leaseSeconds)));
      }
    } catch (error) {
      if (leased.length === 0) throw error;
      // What has its lease is attempted all the same; the sweep finds the rest.
      this.logger.error(`Batches of notifications: ${failureReason(error)}`);
    }
    return leased;
  }

  release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    return this.deliveries.release(deliveries);
  }

  listDue(): Promise<string[]> {
    return this.deliveries.listDue();
  }
}
