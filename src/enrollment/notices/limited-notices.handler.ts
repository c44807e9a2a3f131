import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import type { MailModels } from '../../mail/content/mail.js';
import { RequestNoticesRepository } from './request-notices.repository.js';
import { AccountMails } from './account-mails.js';
import { NoticeRecipients } from './notice-recipients.js';
import type { LimitedNotice } from './security-notices.service.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** `appId`: the app where it happened; null: the service itself. */
    'notice.limited': {
      readonly userIds: readonly string[];
      readonly appId: string | null;
      readonly notice: { readonly template: LimitedNotice; readonly model: MailModels[LimitedNotice] };
    };
  }
}

/**
 * Sends the mails of `SecurityNotices.sendLimited`, within the limits of their recipients. These are checked before the
 * transaction, so that no row is locked while Redis answers. A request whose mail is refused to a recipient is in the
 * next digest.
 */
@Injectable()
export class LimitedNoticesHandler extends JobHandler<'notice.limited'> {
  readonly job = 'notice.limited';

  constructor(
    private readonly directory: AppDirectory,
    private readonly recipients: NoticeRecipients,
    private readonly mails: AccountMails,
    private readonly requests: RequestNoticesRepository,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ userIds, appId, notice }: Jobs['notice.limited'], { id, finish }: JobMeta): Promise<void> {
    const client = appId === null ? null : await this.directory.findOfAnyOrigin(appId);
    if (appId !== null && !client) return;
    const { recipients, areSomeRefused } = await this.recipients.choose(userIds, client, notice.template, id);
    await this.transactions.run(async (tx) => {
      if (!(await finish(tx))) return;
      for (const user of recipients) await this.mails.send(tx, user, client, { ...notice, holdsFor: null }, null);
      if (client && areSomeRefused && notice.template === 'access-request')
        await this.requests.scheduleDigest(tx, client.app.id);
    });
    await this.recipients.sent(recipients, id);
  }
}
