import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Randomness } from '../../../common/randomness.js';
import { countDelivery } from '../../outcomes/delivery-counts.js';
import { WebhookReceivers } from './webhook-receivers.js';
import { ReceiverFailures } from './receiver-failures.js';
import { type LeasedWebhook, WebhookMessagesRepository } from '../messages/webhook-messages.repository.js';
import { judgeOutcome, type WebhookOutcome } from '../messages/webhook-retry.rules.js';

/** The consequences of an attempt for the message. */
@Injectable()
export class WebhookOutcomes {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly receivers: WebhookReceivers,
    private readonly failures: ReceiverFailures,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /** @returns seconds until the message is due again; null if it has ended */
  async settle(message: LeasedWebhook, outcome: WebhookOutcome): Promise<number | null> {
    const now = this.clock.now();
    const verdict = judgeOutcome(outcome, message.attempt, this.randomness.bytes(4).readUInt32BE() / 2 ** 32);
    countDelivery(
      'webhook',
      typeof verdict === 'object' ? 'retried' : verdict === 'delivered' ? 'delivered' : 'failed',
    );
    if (typeof verdict === 'object') {
      await this.messages.settle(message, outcome, { status: 'queued', ...verdict, now });
      return verdict.retryInSeconds;
    }
    if (verdict === 'delivered') {
      await this.messages.settle(message, outcome, { status: 'delivered', retryInSeconds: 0, now });
      if (message.failureTold) await this.receivers.recovered(message.appId);
      return null;
    }
    await this.failures.giveUp(message, outcome, verdict, now);
    return null;
  }
}
