import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountRemovalModule } from '../account-removal/account-removal.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { ListedCredentialsModule } from '../listed-credentials/listed-credentials.module.js';
import { LinkedAccountsModule } from '../providers/linked/linked-accounts.module.js';
import { SessionModule } from '../session/session.module.js';
import { EmailVerificationService } from './email-verification.service.js';
import { LinkRequests } from './link-requests.service.js';
import { MailLink } from './mail-link.entity.js';
import { MailLinksRepository } from './mail-links.repository.js';
import { MailLinksService } from './mail-links.service.js';
import { MailboxLinks } from './mailbox-links.service.js';
import { MailboxProofService } from './mailbox-proof.service.js';
import { LinkContinuations } from './link-continuations.js';
import { VerificationController } from './verification.controller.js';
import { VerificationLinks } from './verification-links.service.js';
import { VerificationPages } from './verification-pages.js';
import { VerificationRequests } from './verification-requests.service.js';

/**
 * Owns links that are mailed to a user: how they are created, mailed and used up, what a proof of the mailbox changes
 * in an account, and the verification of an address. What a sign-in or reset link gives access to is decided by the
 * modules of those links.
 */
@Module({
  imports: [
    AccountRemovalModule,
    AppsModule,
    EnrollmentModule,
    RateLimitsModule,
    TokensModule,
    UsersModule,
    SecondFactorModule,
    LinkedAccountsModule,
    ListedCredentialsModule,
    SessionModule,
    TypeOrmModule.forFeature([MailLink]),
  ],
  controllers: [VerificationController],
  providers: [
    LinkRequests,
    MailboxLinks,
    MailLinksService,
    MailLinksRepository,
    LinkContinuations,
    MailboxProofService,
    EmailVerificationService,
    VerificationLinks,
    VerificationPages,
    VerificationRequests,
  ],
  exports: [LinkRequests, MailboxLinks, MailLinksService, MailboxProofService, LinkContinuations, VerificationRequests],
})
export class EmailLinksModule {}
