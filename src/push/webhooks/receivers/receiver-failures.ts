import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Transactions } from '../../../database/transactions.js';
import { WebhookReceivers } from './webhook-receivers.js';
import { type LeasedWebhook, WebhookMessagesRepository } from '../messages/webhook-messages.repository.js';
import { WebhookNotice } from './webhook-notice.service.js';
import { type WebhookOutcome } from '../messages/webhook-retry.rules.js';

/** Ends a message whose receiver does not answer or is gone, and notifies the app's admins. */
@Injectable()
export class ReceiverFailures {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly receivers: WebhookReceivers,
    private readonly directory: AppDirectory,
    private readonly notice: WebhookNotice,
    private readonly transactions: Transactions,
  ) {}

  async giveUp(message: LeasedWebhook, outcome: WebhookOutcome, verdict: 'gone' | 'failed', now: Date): Promise<void> {
    const client = await this.directory.find(message.appId);
    // A failure within a day of the last notice is not noted, so that the next one after the day is reported.
    const isDue = verdict === 'failed' && client !== null && (await this.notice.isDue(client, verdict));
    await this.transactions.run(async (tx) => {
      await this.messages.settle(message, outcome, { status: 'failed', retryInSeconds: 0, now }, tx);
      if (!client) return;
      if (verdict === 'gone') {
        if (!(await this.receivers.disable(tx, client, message.url))) return;
        await this.notice.send(tx, client, message.url, 'gone');
      } else if (isDue && (await this.receivers.noteFailureTold(tx, message.appId))) {
        await this.notice.send(tx, client, message.url, 'failed');
      }
    });
  }
}
