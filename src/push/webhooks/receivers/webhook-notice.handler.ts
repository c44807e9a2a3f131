import { Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Transactions } from '../../../database/transactions.js';
import type { Jobs } from '../../../delivery/outbox/jobs.js';
import { JobHandler, type JobMeta } from '../../../delivery/worker/job-handler.js';
import { MailService } from '../../../mail/sending/mail.service.js';
import { MAX_TRIES } from '../messages/webhook-retry.rules.js';
import { WebhookNoticeLimit } from './webhook-notice-limit.js';
import { WebhookNoticeRecipients } from './webhook-notice-recipients.js';

/**
 * Mails that an app's webhook does not work: once a day for each app and kind of failure, also if an administrator saves
 * the address again. The limits are checked before the transaction, so that no row is locked while Redis answers.
 */
@Injectable()
export class WebhookNoticeHandler extends JobHandler<'webhook.notice'> {
  readonly job = 'webhook.notice';

  constructor(
    private readonly directory: AppDirectory,
    private readonly recipients: WebhookNoticeRecipients,
    private readonly mails: MailService,
    private readonly limit: WebhookNoticeLimit,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ appId, what, ...model }: Jobs['webhook.notice'], meta: JobMeta): Promise<void> {
    const { id, finish } = meta;
    const client = await this.directory.find(appId);
    if (!client || !(await this.limit.admits(appId, what, meta))) return;
    const recipients = await this.recipients.list(client, what, id);
    const { app, tenant } = client;
    const mail = { template: 'webhook-failing', brand: appBrand(client), replyTo: tenant.supportEmail } as const;
    const content = { ...mail, holdsFor: null, model: { ...model, what: WHAT[what] } };
    await this.transactions.run(async (tx) => {
      if (!(await finish(tx))) return;
      for (const { email, userId } of recipients)
        await this.mails.send(tx, { ...content, to: email }, { userId, app }, null);
    });
    await Promise.all([this.limit.forget(id), this.recipients.done(id, recipients)]);
  }
}

const WHAT = {
  gone: message('mail.webhook_failing.gone'),
  failed: message('mail.webhook_failing.failed', { count: MAX_TRIES }),
} as const;
