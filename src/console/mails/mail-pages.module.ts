import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { MailListModule } from './mail-list.module.js';
import { MailResendController } from './mail-resend.controller.js';
import { MailsController } from './mails.controller.js';

/** The mail log, and sending a mail again. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, AdminModule, MailListModule],
  controllers: [MailsController, MailResendController],
})
export class MailPagesModule {}
