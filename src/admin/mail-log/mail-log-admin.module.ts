import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { UsersModule } from '../../users/users.module.js';
import { FilterAuthority } from '../filters/filter-authority.js';
import { UsersAdminModule } from '../users/users-admin.module.js';
import { MailLogController } from './mail-log.controller.js';
import { MailLogReader } from './mail-log-reader.service.js';
import { MailResend } from './mail-resend.service.js';
import { TestMails } from './test-mails.service.js';

/** The mail log as administrators see it, and sending a mail again. Owns no table. */
@Module({
  imports: [AppsModule, InvitesModule, UsersAdminModule, UsersModule],
  controllers: [MailLogController],
  providers: [FilterAuthority, MailLogReader, MailResend, TestMails],
  exports: [MailLogReader, MailResend, TestMails],
})
export class MailLogAdminModule {}
