import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { Randomness } from '../../common/randomness.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import type { Mail, MailSubject, MailTemplate } from '../content/mail.js';
import { MailLogRepository, type QueuedMail } from '../log/mail-log.repository.js';
import { groupOf, namesApp, queueOf } from './notices.rules.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** Encrypted, because a link is as good as a password; `ref` is the additional authenticated data. */
    'mail.send': { readonly ref: string; readonly sealed: string };
  }
}

/** A mail as it waits in the outbox. */
export type StoredMail = Mail & {
  /**
   * The app whose logo the mail shows, as it is when the mail is sent; null: it shows none. Absent in a mail that an
   * earlier version queued: `brand` contains the logo.
   */
  readonly logoOf?: string | null;
};

/** Queues mails: writes them in the caller's transaction and to the mail log; they are sent after the commit. */
@Injectable()
export class MailService {
  constructor(
    private readonly outbox: Outbox,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
    private readonly log: MailLogRepository,
  ) {}

  /**
   * @param subject to whom the mail belongs, for the mail log and the queue
   * @param lifetimeSeconds of the link: the mail is not sent after it has expired
   */
  async send<Template extends MailTemplate>(
    tx: EntityManager,
    mail: Mail<Template>,
    subject: MailSubject,
    lifetimeSeconds: number | null,
  ): Promise<void> {
    const ref = this.randomness.uuid();
    const expiresAt =
      lifetimeSeconds === null ? undefined : new Date(this.clock.now().getTime() + lifetimeSeconds * 1000);
    const tenantId = subject.tenantId ?? subject.app?.tenantId ?? null;
    const stored = storedMail(mail, subject);
    const id = await this.outbox.add(
      tx,
      queueOf(mail.template),
      'mail.send',
      { ref, sealed: this.box.seal(JSON.stringify(stored), aadOfMail(ref)) },
      { group: groupOf(mail.template, tenantId), app: tenantId && subject.app?.id, expiresAt },
    );
    await this.log.insert(tx, logged(id, mail, subject));
  }

  /** Writes to the mail log only that a mail is not sent because of a limit, so that operators see it. */
  async skip(tx: EntityManager, mail: Pick<Mail, 'template' | 'to'>, subject: MailSubject): Promise<void> {
    await this.log.insertOverLimit(tx, logged(this.randomness.uuid(), mail, subject));
  }
}

/** Without pictures: a tenant may queue any number of mails, and a picture is many times larger than a mail. */
function storedMail(mail: Mail, { app }: MailSubject): StoredMail {
  const { logo, darkLogo: _dark, favicon: _favicon, ...brand } = mail.brand;
  return { ...mail, brand: { ...brand, logo: null }, logoOf: (logo && app?.id) ?? null };
}

function logged(id: string, { template, to }: Pick<Mail, 'template' | 'to'>, subject: MailSubject): QueuedMail {
  const { userId, inviteId = null } = subject;
  const app = namesApp(template) ? subject.app : null;
  const place = { appId: app?.id ?? null, tenantId: app?.tenantId ?? null };
  return { id, template, recipient: to, userId, ...place, inviteId };
}

/** Additional authenticated data of the encrypted payload. */
export function aadOfMail(ref: string): string {
  return `outbox_messages:mail:${ref}`;
}
