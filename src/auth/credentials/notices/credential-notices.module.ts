import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { CredentialNotice } from './credential-notice.entity.js';
import { CredentialNoticesPurge } from './credential-notices-purge.js';
import { CredentialNoticesRepository } from './credential-notices.repository.js';
import { NewCredentialNotices } from './new-credential-notices.service.js';

/** Owns the mails about new sign-in methods, and the data of their links. `stop-links` acts on them. */
@Module({
  imports: [EnrollmentModule, TypeOrmModule.forFeature([CredentialNotice])],
  providers: [CredentialNoticesPurge, CredentialNoticesRepository, NewCredentialNotices],
  exports: [NewCredentialNotices],
})
export class CredentialNoticesModule {}
