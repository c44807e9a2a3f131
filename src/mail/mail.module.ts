import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CapturedMail } from './captured-mail.entity.js';
import { MailHandler } from './mail.handler.js';
import { MailRenderer } from './mail-renderer.js';
import { MailService } from './mail.service.js';
import { Mailbox } from './mailbox.service.js';
import { SealedMails } from './sealed-mails.js';

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

/** Owns mails: templates, sending through the outbox, the captured ones of the embedded mode. Knows no feature. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([CapturedMail]),
    MailerModule.forRootAsync({
      imports: [],
      inject: [SETTINGS],
      useFactory: (settings: Settings): MailerOptions => ({
        transport: settings.mailUrl ? smtp(settings.mailUrl) : { jsonTransport: true },
      }),
    }),
  ],
  providers: [MailService, MailHandler, MailRenderer, Mailbox, SealedMails],
  exports: [MailService, Mailbox],
})
export class MailModule {}

function smtp(address: string): MailerOptions['transport'] {
  const url = new URL(address);
  const secure = url.protocol === 'smtps:';
  const auth = url.username
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const pooled = {
    pool: true,
    maxConnections: 5,
    ...TIMEOUTS,
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    auth,
  };
  return pooled as MailerOptions['transport'];
}
