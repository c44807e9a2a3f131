import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { CredentialNoticesModule } from '../../credentials/notices/credential-notices.module.js';
import { LinkedAccount } from './linked-account.entity.js';
import { LinkNotices } from './link-notices.js';
import { LinkedAccountsRepository } from './linked-accounts.repository.js';
import { LinkedAccountsService } from './linked-accounts.service.js';

/** Owns the links between identities at providers and accounts. It contains no protocol and no page. */
@Module({
  imports: [CredentialNoticesModule, UsersModule, EnrollmentModule, TypeOrmModule.forFeature([LinkedAccount])],
  providers: [LinkedAccountsService, LinkNotices, LinkedAccountsRepository],
  exports: [LinkedAccountsService],
})
export class LinkedAccountsModule {}
