import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CapturedMail } from './captured-mail.entity.js';
import { LoggedMail } from './logged-mail.entity.js';
import { MailHandler } from './mail.handler.js';
import { MailLog } from './mail-log.service.js';
import { MailLogPurge } from './mail-log-purge.js';
import { MailLogRepository } from './mail-log.repository.js';
import { MailProcessor } from './mail.processor.js';
import { MailRenderer } from './mail-renderer.js';
import { MailSender } from './mail-sender.js';
import { MailService } from './mail.service.js';
import { Mailbox } from './mailbox.service.js';
import { NoticesProcessor } from './notices.processor.js';
import { smtpTransport } from './smtp-transport.rules.js';

/** Owns mails: templates, sending through the outbox, the mail log, the captured mails of the embedded mode. */
@Global()
@Module({
  imports: [
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
