import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../../../apps/directory/app-brand.js';
import { Randomness } from '../../../../common/randomness.js';
import { SETTINGS, type Settings } from '../../../../config/settings.js';
import type { MailOrigin } from '../../../../enrollment/notices/account-mails.js';
import { MailRenderer } from '../../../../mail/content/mail-renderer.js';
import type { ExampleAccount } from '../plan/example-history.rules.js';
import { exampleMails, type PastMail } from '../plan/example-mails.rules.js';
import { ExampleRowsRepository } from './example-rows.repository.js';

const DAY_MS = 24 * 3600 * 1000;
const SHOWN_IN_MAILBOX = 18;
/** Milliseconds from the request to the mail server. */
const SENDING_MS = 1_400;

/** Mails of the example, as if they had been sent: in the mail log, and the latest notices in the mailbox. */
@Injectable()
export class ExampleMails {
  constructor(
    private readonly renderer: MailRenderer,
    private readonly rows: ExampleRowsRepository,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async write(
    tx: EntityManager,
    users: readonly ExampleAccount[],
    origins: ReadonlyMap<string, MailOrigin>,
    now: Date,
  ): Promise<void> {
    const since = new Date(now.getTime() - this.settings.mailLogDays * DAY_MS);
    const mails = exampleMails(users, since).map((mail) => ({ ...mail, id: this.randomness.uuid() }));
    await this.rows.insertMails(
      tx,
      mails.map(({ notice: _, bundleId, at, ...mail }) => {
        const { app } = origins.get(bundleId)!;
        return { ...mail, appId: app.id, tenantId: app.tenantId, createdAt: at, endedAt: after(at) };
      }),
    );
    const notices = mails.filter(({ notice }) => notice !== null).slice(-SHOWN_IN_MAILBOX);
    const shown = await Promise.all(notices.map((mail) => this.shown(mail, origins.get(mail.bundleId)!)));
    await this.rows.insertCapturedMails(tx, shown);
  }

  private async shown({ id, recipient: to, notice, at }: PastMail & { readonly id: string }, origin: MailOrigin) {
    const frame = { to, brand: appBrand(origin), replyTo: origin.tenant.supportEmail, holdsFor: null };
    const content = await this.renderer.render({ ...frame, ...notice! });
    return { id, to, from: this.settings.mailFrom, ...content, createdAt: after(at) };
  }
}

function after(at: Date): Date {
  return new Date(at.getTime() + SENDING_MS);
}
