import { Injectable } from '@nestjs/common';
import { Randomness } from '../../common/randomness.js';
import { type Claim, QueueWork } from '../../delivery/engine/queue-work.js';
import { PushSettingsService } from '../settings/push-settings.service.js';
import { DeliveryAttempts, type SendableDelivery } from './delivery-attempts.js';
import { DeliveryLeases } from './delivery-leases.js';
import { DeliveryResults } from './delivery-results.service.js';
import { type DeliveryVerdict, judgeAnswer, preflight } from './delivery.rules.js';

/** Claims deliveries, attempts them, and has their results recorded. */
@Injectable()
export class DeliveryWork extends QueueWork<SendableDelivery> {
  readonly name = 'deliveries';
  private readonly released = new WeakSet<SendableDelivery>();

  constructor(
    private readonly leases: DeliveryLeases,
    private readonly results: DeliveryResults,
    private readonly attempts: DeliveryAttempts,
    private readonly settings: PushSettingsService,
    private readonly randomness: Randomness,
  ) {
    super();
  }

  async claim(appId: string, limit: number, leaseSeconds: number): Promise<Claim<SendableDelivery>> {
    // Must come before the lease: if this failed afterwards, the leased rows would wait until their lease ends.
    const settings = await this.settings.find(appId);
    // The app and all its rows were deleted.
    if (!settings) return { items: [], hasMore: false };
    const { leased, hasMore } = await this.leases.lease(appId, limit, leaseSeconds);
    return { items: leased.map((delivery) => ({ ...delivery, settings })), hasMore };
  }

  async attempt(delivery: SendableDelivery): Promise<number | null> {
    const early = preflight(delivery, delivery, delivery.lastError);
    if (early) return this.settle(delivery, early);
    const answer = await this.attempts.send(delivery);
    // The connection was closed because this process shuts down, which says nothing about the provider.
    if (answer.kind === 'unanswered' && this.released.has(delivery)) return null;
    return this.settle(delivery, judgeAnswer(answer, delivery, this.chance()));
  }

  release(deliveries: readonly SendableDelivery[]): Promise<void> {
    for (const delivery of deliveries) this.released.add(delivery);
    return this.leases.release(deliveries);
  }

  listDue(): Promise<string[]> {
    return this.leases.listDue();
  }

  private async settle(delivery: SendableDelivery, verdict: DeliveryVerdict): Promise<number | null> {
    await this.results.settle(delivery, verdict);
    return 'retryInSeconds' in verdict ? verdict.retryInSeconds : null;
  }

  private chance(): number {
    return this.randomness.bytes(4).readUInt32BE() / 2 ** 32;
  }
}
