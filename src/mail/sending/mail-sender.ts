import { Inject, Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { JobMeta } from '../../delivery/worker/job-handler.js';
import { PermanentFailure } from '../../delivery/outbox/permanent-failure.js';
import { RetryLater } from '../../delivery/outbox/retry-later.js';
import type { Mail } from '../content/mail.js';
import { LOGO_CONTENT_ID, withLogoInside } from '../content/mail-frame.js';
import { MailLogRepository } from '../log/mail-log.repository.js';
import { mayHaveBeenSent, secondsUntilRepetition } from './mail-repetition.rules.js';
import type { RenderedMail } from '../content/mail-renderer.js';
import { Mailbox } from './mailbox.service.js';

/** Sends a rendered mail: by SMTP, or into the mailbox of the embedded mode. */
@Injectable()
export class MailSender {
  constructor(
    private readonly mailer: MailerService,
    private readonly mailbox: Mailbox,
    private readonly log: MailLogRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws PermanentFailure if the server has permanently refused the address or the mail; RetryLater */
  async send(mail: Mail, content: RenderedMail, meta: JobMeta): Promise<void> {
    const { mailFrom: from } = this.settings;
    if (this.settings.mailUrl) return this.bySmtp(mail, { from, ...content }, meta);
    if (!this.settings.embedded) throw new PermanentFailure('MAIL_URL is not set');
    // The mailbox has no attachments.
    const html = withLogoInside(content.html, mail.brand.logo);
    await this.mailbox.keep({ id: meta.id, to: mail.to, from, ...content, html });
  }

  private async bySmtp(
    mail: Mail,
    content: RenderedMail & { readonly from: string },
    { id, attempt }: JobMeta,
  ): Promise<void> {
    const logo = /^data:image\/png;base64,(.+)$/.exec(mail.brand.logo ?? '')?.[1];
    try {
      await this.mailer.sendMail({
        ...content,
        to: { name: '', address: mail.to },
        ...(mail.replyTo ? { replyTo: mail.replyTo } : {}),
        // The same for every attempt, so that mail programs show a repeated mail once.
        messageId: `<${id}@${new URL(this.settings.baseUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        attachments: logo
          ? [
              {
                cid: LOGO_CONTENT_ID,
                filename: 'logo.png',
                content: Buffer.from(logo, 'base64'),
                contentType: 'image/png',
              },
            ]
          : [],
      });
    } catch (error) {
      const refusal = finalRefusalOf(error);
      if (refusal !== null) {
        await this.log.markRefused(id, refusal);
        throw new PermanentFailure(`SMTP ${refusal}`);
      }
      if (mayHaveBeenSent(error)) throw new RetryLater(secondsUntilRepetition(attempt), (error as Error).message);
      throw error;
    }
  }
}

/**
 * 5xx is the server's final answer about this address or mail (RFC 5321 section 4.2.1). As an answer to another
 * command, for example to a wrong password, it is about the service's settings, which an operator can correct.
 */
function finalRefusalOf(error: unknown): number | null {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  return isAboutMail && responseCode !== undefined && responseCode >= 500 ? responseCode : null;
}
