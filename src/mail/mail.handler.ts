import { Inject, Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import { reviveMessage } from '../common/i18n/message.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SecretBox } from '../crypto/secret-box.js';
import { JobHandler, type JobMeta } from '../delivery/job-handler.js';
import type { Jobs } from '../delivery/jobs.js';
import { PermanentFailure } from '../delivery/permanent-failure.js';
import { RetryAfter } from '../delivery/retry-after.js';
import type { Mail } from './mail.js';
import { mayHaveBeenSent, secondsUntilRepetition } from './mail-repetition.rules.js';
import { MailRenderer } from './mail-renderer.js';
import { aadOfMail } from './mail.service.js';
import { Mailbox } from './mailbox.service.js';

const LOGO = 'logo@identity-broker';

/** Renders and sends one mail: by SMTP, or into the mailbox of the embedded mode. */
@Injectable()
export class MailHandler extends JobHandler<'mail.send'> {
  readonly job = 'mail.send';

  constructor(
    private readonly box: SecretBox,
    private readonly renderer: MailRenderer,
    private readonly mailer: MailerService,
    private readonly mailbox: Mailbox,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async handle({ ref, sealed }: Jobs['mail.send'], meta: JobMeta): Promise<void> {
    const mail = JSON.parse(this.box.open(sealed, aadOfMail(ref)), reviveMessage) as Mail;
    const { subject, html, text } = await this.renderer.render(mail);
    const { mailFrom: from } = this.settings;
    if (this.settings.mailUrl) return this.send(mail, meta, { from, subject, html, text });
    if (!this.settings.embedded) throw new PermanentFailure('MAIL_URL is not set');
    await this.mailbox.keep({ id: meta.id, to: mail.to, from, subject, text, html });
  }

  private async send(
    mail: Mail,
    { id, attempt }: JobMeta,
    content: { from: string; subject: string; html: string; text: string },
  ): Promise<void> {
    const logo = /^data:image\/png;base64,(.+)$/.exec(mail.brand.logo ?? '')?.[1];
    try {
      await this.mailer.sendMail({
        ...content,
        to: { name: '', address: mail.to },
        ...(mail.replyTo ? { replyTo: mail.replyTo } : {}),
        // The same for every attempt, so that mail programs show a repetition once.
        messageId: `<${id}@${new URL(this.settings.baseUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        attachments: logo
          ? [{ cid: LOGO, filename: 'logo.png', content: Buffer.from(logo, 'base64'), contentType: 'image/png' }]
          : [],
      });
    } catch (error) {
      const { responseCode, command } = error as { responseCode?: number; command?: string };
      // 5xx is the server's final answer about this address or this mail (RFC 5321 section 4.2.1). In answer to anything else,
      // a wrong password for instance, it is about our settings, which an operator can correct.
      const isAboutMail = command === 'RCPT TO' || command === 'DATA';
      if (isAboutMail && responseCode !== undefined && responseCode >= 500)
        throw new PermanentFailure(`SMTP ${responseCode}`);
      if (mayHaveBeenSent(error)) throw new RetryAfter(secondsUntilRepetition(attempt), (error as Error).message);
      throw error;
    }
  }
}
