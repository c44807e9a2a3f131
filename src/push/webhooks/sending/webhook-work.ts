import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { type Claim, claimOf, QueueWork } from '../../../delivery/engine/queue-work.js';
import { type LeasedWebhook, WebhookMessagesRepository } from '../messages/webhook-messages.repository.js';
import { WebhookOutcomes } from '../receivers/webhook-outcomes.service.js';
import { WebhookSender } from './webhook-sender.js';

/** Sends webhooks: claims, attempts, and has the outcome recorded. */
@Injectable()
export class WebhookWork extends QueueWork<LeasedWebhook> {
  readonly name = 'webhooks';
  private readonly released = new WeakSet<LeasedWebhook>();

  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly sender: WebhookSender,
    private readonly outcomes: WebhookOutcomes,
    private readonly clock: Clock,
  ) {
    super();
  }

  async claim(appId: string, limit: number, leaseSeconds: number): Promise<Claim<LeasedWebhook>> {
    return claimOf(await this.messages.lease(this.clock.now(), appId, limit, leaseSeconds), limit);
  }

  async attempt(message: LeasedWebhook): Promise<number | null> {
    const outcome = await this.sender.send(message);
    // Its connection was closed during the shutdown, which says nothing about the receiver.
    if (outcome.status === null && this.released.has(message)) return null;
    return this.outcomes.settle(message, outcome);
  }

  release(messages: readonly LeasedWebhook[]): Promise<void> {
    for (const message of messages) this.released.add(message);
    return this.messages.release(messages);
  }

  listDue(): Promise<readonly string[]> {
    return this.messages.listDue(this.clock.now());
  }
}
