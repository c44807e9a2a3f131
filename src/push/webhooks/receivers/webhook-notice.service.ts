import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message } from '../../../common/i18n/message.js';
import { appBrand } from '../../../apps/directory/app-brand.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { Clock } from '../../../common/clock.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import { MailService } from '../../../mail/sending/mail.service.js';
import { withoutLinks } from '../../../mail/content/without-links.js';
import { MAX_TRIES } from '../messages/webhook-retry.rules.js';

/** Notifies the operators who can repair an app's webhook that it does not work. */
@Injectable()
export class WebhookNotice {
  constructor(
    private readonly apps: AppsService,
    private readonly members: AppMembers,
    private readonly mails: MailService,
    private readonly clock: Clock,
  ) {}

  /** To the app's admins and the tenant's support address, or to the tenant's admins if there is neither. */
  async send(tx: EntityManager, client: RegisteredClient, webhookUrl: string, what: 'gone' | 'failed'): Promise<void> {
    const { supportEmail } = client.tenant;
    const model = {
      receiver: withoutLinks(new URL(webhookUrl).host),
      what: WHAT[what],
      when: this.clock.now().toUTCString(),
    };
    const brand = appBrand(client);
    for (const [to, userId] of await this.recipients(tx, client)) {
      const mail = { template: 'webhook-failing', to, brand, replyTo: supportEmail, holdsFor: null } as const;
      await this.mails.send(tx, { ...mail, model }, { userId, app: client.app }, null);
    }
  }

  /** Their addresses, with their user ids. */
  private async recipients(tx: EntityManager, { app, tenant }: RegisteredClient): Promise<Map<string, string | null>> {
    const admins = await this.members.listAdmins(tx, app.id);
    const found = new Map<string, string | null>(admins.map(({ email, userId }) => [email, userId]));
    if (tenant.supportEmail && !found.has(tenant.supportEmail)) found.set(tenant.supportEmail, null);
    if (found.size > 0) return found;
    const console = await this.apps.getConsole(tenant.id, tx);
    return new Map((await this.members.listActive(tx, console.id)).map(({ email, userId }) => [email, userId]));
  }
}

const WHAT = {
  gone: message('mail.webhook_failing.gone'),
  failed: message('mail.webhook_failing.failed', { count: MAX_TRIES }),
} as const;
