import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { Clock } from '../../common/clock.js';
import { Randomness } from '../../common/randomness.js';
import { systemContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { PushSettingsRepository } from '../settings/push-settings.repository.js';
import { type LeasedWebhook, WebhookMessagesRepository } from './webhook-messages.repository.js';
import { WebhookNotice } from './webhook-notice.service.js';
import { judgeOutcome, type WebhookOutcome } from './webhook-retry.rules.js';

/** Records the outcome of an attempt: for the message, and for the app if its receiver fails or is gone. */
@Injectable()
export class WebhookOutcomes {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly settings: PushSettingsRepository,
    private readonly directory: AppDirectory,
    private readonly notice: WebhookNotice,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /** @returns seconds until the message is due again; null if it has ended */
  async settle(message: LeasedWebhook, outcome: WebhookOutcome): Promise<number | null> {
    const now = this.clock.now();
    const verdict = judgeOutcome(outcome, message.attempt, this.randomness.bytes(4).readUInt32BE() / 2 ** 32);
    if (typeof verdict === 'object') {
      await this.messages.settle(message, outcome, { status: 'queued', ...verdict, now });
      return verdict.retryInSeconds;
    }
    if (verdict === 'delivered') {
      await this.messages.settle(message, outcome, { status: 'delivered', retryInSeconds: 0, now });
      if (message.failureTold) await this.settings.forgetFailure(message.appId);
      return null;
    }
    await this.giveUp(message, outcome, verdict, now);
    return null;
  }

  private async giveUp(
    message: LeasedWebhook,
    outcome: WebhookOutcome,
    verdict: 'gone' | 'failed',
    now: Date,
  ): Promise<void> {
    const known = await this.directory.find(message.appId);
    await this.transactions.run(async (tx) => {
      await this.messages.settle(message, outcome, { status: 'failed', retryInSeconds: 0, now }, tx);
      if (!known) return;
      if (verdict === 'gone') {
        if (!(await this.settings.disableWebhook(tx, message.appId, message.url))) return;
        await this.audit.record(tx, systemContext('webhooks'), 'push.config_changed', disabled(known));
        await this.notice.send(tx, known, message.url, 'gone');
      } else if (await this.settings.noteFailureTold(tx, message.appId)) {
        await this.notice.send(tx, known, message.url, 'failed');
      }
    });
  }
}

function disabled({ app }: KnownApp) {
  return {
    tenantId: app.tenantId,
    appId: app.id,
    target: { type: 'app', id: app.id },
    metadata: { fields: ['webhook_disabled'], reason: 'The receiver answered 410' },
  };
}
