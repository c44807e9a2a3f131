import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { MailList } from './mail-list.js';

/** The list of mails, for the pages that show one. Owns no table. */
@Module({ imports: [AdminModule, EnrollmentModule], providers: [MailList], exports: [MailList] })
export class MailListModule {}
