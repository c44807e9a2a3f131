import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MicroBatch } from '../../common/concurrency/micro-batch.js';
import { Transactions } from '../../database/transactions.js';
import { PushDevicesService } from '../devices/push-devices.service.js';
import type { UnansweredAttempt } from '../devices/push-devices.repository.js';
import { countDelivery } from '../outcomes/delivery-counts.js';
import { WebhookReceipts } from '../webhooks/sending/webhook-receipts.js';
import { DeliveriesRepository, type LeasedDelivery, type DeliveryOutcome } from './deliveries.repository.js';
import { type DeliveryVerdict, statusOf } from './delivery.rules.js';

/** Maximum number of attempts that are recorded in one transaction, and of concurrent transactions. */
const BATCH = 100;
const PARALLEL = 2;
/**
 * Pauses between tries to record a known outcome while the database is unavailable (seconds; in total less than the
 * lease).
 */
const PATIENCE = [0.5, 1, 2, 4, 8] as const;

interface Judged {
  readonly delivery: LeasedDelivery;
  readonly verdict: DeliveryVerdict;
}

/** Records the outcome of attempts: delivery, notification, device and webhook event in one transaction. */
@Injectable()
export class DeliveryResults {
  private readonly batch = new MicroBatch<Judged, void>((judged) => this.settleAll(judged), BATCH, PARALLEL);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly devices: PushDevicesService,
    private readonly receipts: WebhookReceipts,
    private readonly transactions: Transactions,
  ) {}

  /** @throws Error if the database stays unavailable: the delivery is then attempted again */
  async settle(delivery: LeasedDelivery, verdict: DeliveryVerdict): Promise<void> {
    for (const pause of PATIENCE) {
      try {
        return await this.batch.run({ delivery, verdict });
      } catch {
        await sleep(pause * 1_000, undefined, { ref: false });
      }
    }
    await this.batch.run({ delivery, verdict });
  }

  private async settleAll(all: readonly Judged[]): Promise<void[]> {
    const ids = [...new Set(all.map(({ delivery }) => delivery.notificationId))];
    const recorded = await this.transactions.run(async (tx) => {
      await this.deliveries.lock(tx, ids);
      const settled = await this.deliveries.settle(tx, all.map(settlementOf));
      const mine = all.filter(({ delivery }) => settled.has(delivery.id));
      await this.devices.noteSilence(tx, mine.flatMap(silenceOf));
      const ended = mine.filter(({ verdict }) => 'end' in verdict);
      if (ended.length === 0) return settled;
      const counts = await this.deliveries.count(tx, ids);
      await this.deliveries.note(
        tx,
        counts.map((count) => ({
          id: count.id,
          delivered: count.delivered,
          failed: count.failed + count.expired,
          status: statusOf(count),
        })),
      );
      for (const { delivery, verdict } of ended) {
        if ('forgetDevice' in verdict) await this.devices.forget(tx, delivery.deviceId, delivery.sealedToken!);
      }
      await this.receipts.add(
        tx,
        ended.map((each) => receiptOf(each)),
      );
      return settled;
    });
    for (const { delivery, verdict } of all) {
      const outcome = 'end' in verdict ? verdict.end : 'retried';
      if (recorded.has(delivery.id)) countDelivery(`push_${delivery.platform}`, outcome);
    }
    return all.map(() => undefined);
  }
}

function settlementOf({ delivery, verdict }: Judged): DeliveryOutcome {
  const error = 'error' in verdict ? verdict.error : null;
  return 'end' in verdict
    ? { delivery, error, status: verdict.end }
    : { delivery, error, status: 'queued', retryInSeconds: verdict.retryInSeconds };
}

function silenceOf({ delivery, verdict }: Judged): UnansweredAttempt[] {
  if (!('silentHost' in verdict) || verdict.silentHost === undefined) return [];
  const { deviceId, sealedToken, isProbe } = delivery;
  return [{ deviceId, sealedToken: sealedToken!, isProbe, host: verdict.silentHost }];
}

function receiptOf({ delivery, verdict }: Judged) {
  const { end: status } = verdict as Extract<DeliveryVerdict, { end: string }>;
  return {
    type: `push.${status}` as const,
    notificationId: delivery.notificationId,
    appId: delivery.appId,
    userId: delivery.userId,
    deviceId: delivery.deviceId,
    platform: delivery.platform,
    status,
    error: 'error' in verdict ? verdict.error : null,
    attempt: delivery.attempt,
  };
}
