import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import { keyInTenant, keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { WebhookFailure } from './webhook-notice.service.js';

export interface NoticeRecipient {
  readonly email: string;
  /** Null: the support address, which belongs to no user. */
  readonly userId: string | null;
}

/**
 * The recipients of a notice about an app's webhook. Administrators choose the addresses of new accounts and the support
 * address, and can make a webhook fail any number of times. So administrators need a verified address, and each address
 * has a limit.
 */
@Injectable()
export class WebhookNoticeRecipients {
  constructor(
    private readonly apps: AppsService,
    private readonly members: AppMembers,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * The app's admins and the tenant's support address, or the tenant's admins if there is neither; without those who
   * have reached their limit.
   * @param jobId the attempts of a job count once; call {@link done} after it
   */
  async list(client: RegisteredClient, what: WebhookFailure, jobId: string): Promise<NoticeRecipient[]> {
    const allowed: NoticeRecipient[] = [];
    for (const recipient of await this.find(client))
      if (await this.isAllowed(recipient, client, what, jobId)) allowed.push(recipient);
    return allowed;
  }

  done(jobId: string, recipients: readonly NoticeRecipient[]): Promise<void> {
    return this.limits.forgetPassed(recipients.map((each) => nameOf(each, jobId)));
  }

  private async find({ app, tenant }: RegisteredClient): Promise<NoticeRecipient[]> {
    const admins: NoticeRecipient[] = await this.members.listRecipients(app.id, 'admins');
    const { supportEmail } = tenant;
    const isKnown = admins.some(({ email }) => email === supportEmail);
    const told = supportEmail && !isKnown ? [...admins, { email: supportEmail, userId: null }] : admins;
    if (told.length > 0) return told;
    const console = await this.apps.getConsole(tenant.id);
    return this.members.listRecipients(console.id, 'members');
  }

  private isAllowed(
    recipient: NoticeRecipient,
    { app, tenant }: RegisteredClient,
    what: WebhookFailure,
    jobId: string,
  ): Promise<boolean> {
    const name = nameOf(recipient, jobId);
    if (recipient.userId === null)
      return this.limits.passesOnce('webhook_notice', keyOf(tenant.id, `${app.id}:${what}`), name);
    const key = keyInTenant(recipient.userId, tenant.id, app.id, app.isConsoleApp);
    return this.limits.passesOnce('administrator_mail', key, name);
  }
}

function nameOf({ userId }: NoticeRecipient, jobId: string): string {
  return keyOf(jobId, userId ?? 'support');
}
