import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discover } from '../../common/discovered.js';
import { reviveMessage } from '../../common/i18n/message.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import type { Mail } from '../content/mail.js';
import { MailLogos } from '../content/mail-logos.js';
import { MailRenderer } from '../content/mail-renderer.js';
import { MailSender } from './mail-sender.js';
import { aadOfMail, type StoredMail } from './mail.service.js';

/** Renders and sends one mail. */
@Injectable()
export class MailHandler extends JobHandler<'mail.send'> implements OnModuleInit {
  readonly job = 'mail.send';
  private logos: MailLogos;

  constructor(
    private readonly box: SecretBox,
    private readonly renderer: MailRenderer,
    private readonly sender: MailSender,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  onModuleInit(): void {
    const [logos] = discover(this.discovery, MailLogos);
    if (!logos) throw new Error('No provider extends MailLogos');
    this.logos = logos;
  }

  async handle({ ref, sealed }: Jobs['mail.send'], meta: JobMeta): Promise<void> {
    const stored = JSON.parse(this.box.open(sealed, aadOfMail(ref)), reviveMessage) as StoredMail;
    const mail: Mail = { ...stored, brand: { ...stored.brand, logo: await this.logoOf(stored) } };
    await this.sender.send(mail, await this.renderer.render(mail), meta);
  }

  private async logoOf({ logoOf, brand }: StoredMail): Promise<string | null> {
    return logoOf ? this.logos.find(logoOf) : brand.logo;
  }
}
