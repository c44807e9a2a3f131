import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { keyInTenant, keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { MailModels } from '../../mail/content/mail.js';
import { AccountMails, isAboutRequests, type MailOrigin } from './account-mails.js';
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
 * Sends the mails of `SecurityNotices.sendLimited`. Above the limit `administrator_mail`, the recipients have already
 * been warned, each by each tenant. Users cause mails about requests, so these have a limit of their own: they must not
 * use up that of the warnings. The limit is checked before the transaction, so that no row is locked while Redis
 * answers. All attempts of a job count once.
 */
@Injectable()
export class LimitedNoticesHandler extends JobHandler<'notice.limited'> {
  readonly job = 'notice.limited';

  constructor(
    private readonly users: UsersService,
    private readonly directory: AppDirectory,
    private readonly mails: AccountMails,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ userIds, appId, notice }: Jobs['notice.limited'], { id, finish }: JobMeta): Promise<void> {
    const client = appId === null ? null : await this.directory.findOfAnyOrigin(appId);
    if (appId !== null && !client) return;
    const recipients: User[] = [];
    for (const user of await this.users.listVerified(userIds))
      if (await this.isAllowed(user.id, client, notice.template, id)) recipients.push(user);
    await this.transactions.run(async (tx) => {
      if (!(await finish(tx))) return;
      for (const user of recipients) await this.mails.send(tx, user, client, { ...notice, holdsFor: null }, null);
    });
    await this.limits.forgetPassed(recipients.map((user) => keyOf(id, user.id)));
  }

  private async isAllowed(
    userId: string,
    client: MailOrigin | null,
    template: LimitedNotice,
    jobId: string,
  ): Promise<boolean> {
    const { app, tenant } = client ?? {};
    const key = app && tenant ? keyInTenant(userId, tenant.id, app.id, app.isConsoleApp) : userId;
    const label = isAboutRequests(template) ? 'access_request_mail' : 'administrator_mail';
    return this.limits.passesOnce(label, key, keyOf(jobId, userId));
  }
}
