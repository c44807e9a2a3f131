import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CapturedMail } from './sending/captured-mail.entity.js';
import { LoggedMail } from './log/logged-mail.entity.js';
import { MailHandler } from './sending/mail.handler.js';
import { MailLog } from './log/mail-log.service.js';
import { MailLogPurge } from './log/mail-log-purge.js';
import { MailLogRepository } from './log/mail-log.repository.js';
import { MailProcessor } from './sending/mail.processor.js';
import { MailRenderer } from './content/mail-renderer.js';
import { MailSender } from './sending/mail-sender.js';
import { MailService } from './sending/mail.service.js';
import { Mailbox } from './sending/mailbox.service.js';
import { NoticesProcessor } from './sending/notices.processor.js';
import { smtpTransport } from './sending/smtp-transport.rules.js';

/** Owns mails: templates, sending with the outbox, the mail log, the captured mails of the embedded mode. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([CapturedMail, LoggedMail]),
    MailerModule.forRootAsync({
      imports: [],
      inject: [SETTINGS],
      useFactory: (settings: Settings): MailerOptions => ({
        transport: settings.mailUrl
          ? (smtpTransport(settings.mailUrl) as MailerOptions['transport'])
          : { jsonTransport: true },
      }),
    }),
  ],
  providers: [
    MailService,
    MailProcessor,
    NoticesProcessor,
    MailHandler,
    MailSender,
    MailRenderer,
    MailLog,
    MailLogRepository,
    MailLogPurge,
    Mailbox,
  ],
  exports: [MailService, MailLog, Mailbox, MailRenderer],
})
export class MailModule {}
