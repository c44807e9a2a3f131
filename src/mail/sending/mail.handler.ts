import { Injectable } from '@nestjs/common';
import { reviveMessage } from '../../common/i18n/message.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import type { Mail } from '../content/mail.js';
import { MailRenderer } from '../content/mail-renderer.js';
import { MailSender } from './mail-sender.js';
import { aadOfMail } from './mail.service.js';

/** Renders and sends one mail. */
@Injectable()
export class MailHandler extends JobHandler<'mail.send'> {
  readonly job = 'mail.send';

  constructor(
    private readonly box: SecretBox,
    private readonly renderer: MailRenderer,
    private readonly sender: MailSender,
  ) {
    super();
  }

  async handle({ ref, sealed }: Jobs['mail.send'], meta: JobMeta): Promise<void> {
    const mail = JSON.parse(this.box.open(sealed, aadOfMail(ref)), reviveMessage) as Mail;
    await this.sender.send(mail, await this.renderer.render(mail), meta);
  }
}
