import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { CredentialNoticesModule } from '../credentials/notices/credential-notices.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { LinkedAccountsModule } from '../providers/linked/linked-accounts.module.js';
import { SessionModule } from '../session/session.module.js';
import { CredentialsSetUpSince } from './credentials-set-up-since.js';
import { ListedCredentialsModule } from '../listed-credentials/listed-credentials.module.js';
import { AccountLockdown } from './account-lockdown.js';
import { StopPages } from './stop-pages.js';
import { StopPreview } from './stop-preview.js';

/**
 * Owns the common part of the links that undo a change ("Secure my account"): their pages, and how an account is
 * secured after an intruder. Has no tables.
 */
@Module({
  imports: [
    TokensModule,
    UsersModule,
    CredentialNoticesModule,
    PasskeysModule,
    SecondFactorModule,
    EmailLinksModule,
    LinkedAccountsModule,
    ListedCredentialsModule,
    SessionModule,
  ],
  providers: [CredentialsSetUpSince, AccountLockdown, StopPages, StopPreview],
  exports: [AccountLockdown, StopPages, StopPreview],
})
export class StopLinksModule {}
