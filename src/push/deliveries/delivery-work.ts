import { Injectable, Logger } from '@nestjs/common';
import { AppsService } from '../../apps/apps.service.js';
import { Randomness } from '../../common/randomness.js';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { PushDevicesService } from '../devices/push-devices.service.js';
import { QueueWork } from '../../delivery/engine/queue-work.js';
import { PushSender, type SendingSettings } from './push-sender.js';
import type { AttemptAnswer } from '../transports/push-transport.js';
import { PushSettingsService } from '../settings/push-settings.service.js';
import { DeliveriesRepository, type LeasedDelivery } from './deliveries.repository.js';
import { DeliveryResults } from './delivery-results.service.js';
import { type DeliveryVerdict, judgeAnswer, preflight } from './delivery.rules.js';

/** A delivery with the credentials of its app, which are decrypted once for all that were leased together. */
export interface DeliveryInHand extends LeasedDelivery {
  readonly settings: SendingSettings;
}

/** Delivers: claims, attempts, and has the result recorded. */
@Injectable()
export class DeliveryWork extends QueueWork<DeliveryInHand> {
  readonly name = 'deliveries';
  private readonly released = new WeakSet<DeliveryInHand>();
  private readonly logger = new Logger(DeliveryWork.name);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly results: DeliveryResults,
    private readonly devices: PushDevicesService,
    private readonly sender: PushSender,
    private readonly apps: AppsService,
    private readonly settings: PushSettingsService,
    private readonly randomness: Randomness,
  ) {
    super();
  }

  async claim(appId: string, limit: number, leaseSeconds: number): Promise<DeliveryInHand[]> {
    const leased = await this.deliveries.lease(appId, limit, leaseSeconds);
    const app = leased.length > 0 ? await this.apps.find(appId) : null;
    // The app and all its rows were deleted.
    if (!app) return [];
    const { vapid, fcm } = await this.settings.of(app);
    return leased.map((delivery) => ({ ...delivery, settings: { vapid, fcm } }));
  }

  async attempt(delivery: DeliveryInHand): Promise<number | null> {
    const early = preflight(delivery, delivery, delivery.lastError);
    if (early) return this.settle(delivery, early);
    const answer = await this.send(delivery);
    // Its connection was closed at the stop: that says nothing about the provider.
    if (answer.kind === 'unanswered' && this.released.has(delivery)) return null;
    return this.settle(delivery, judgeAnswer(answer, delivery, this.chance()));
  }

  release(deliveries: readonly DeliveryInHand[]): Promise<void> {
    for (const delivery of deliveries) this.released.add(delivery);
    return this.deliveries.release(deliveries);
  }

  listDue(): Promise<string[]> {
    return this.deliveries.listDue();
  }

  private async settle(delivery: DeliveryInHand, verdict: DeliveryVerdict): Promise<number | null> {
    await this.results.settle(delivery, verdict);
    return 'retryInSeconds' in verdict ? verdict.retryInSeconds : null;
  }

  /** Never rejects: an unexpected error counts as a temporary failure and is retried like one. */
  private async send(delivery: DeliveryInHand): Promise<AttemptAnswer> {
    try {
      const token = this.devices.openSealed(delivery.deviceId, delivery.sealedToken!);
      return await this.sender.send(delivery, token, delivery.settings);
    } catch (error) {
      this.logger.error(`Delivery ${delivery.id}: ${failureReason(error)}`);
      return { kind: 'refused', status: 500, retryAfter: null };
    }
  }

  private chance(): number {
    return this.randomness.bytes(4).readUInt32BE() / 2 ** 32;
  }
}
