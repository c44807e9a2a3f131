import { Module } from '@nestjs/common';
import { PushModule } from '../push/push.module.js';
import { AccountDeletionModule } from './account-deletion/account-deletion.module.js';
import { AccessModule } from './access/access.module.js';
import { ApiSignInModule } from './api-sign-in/api-sign-in.module.js';
import { ApiPasskeysModule } from './api-sign-in/passkeys/api-passkeys.module.js';
import { CredentialStopModule } from './credential-stop/credential-stop.module.js';
import { OwnCredentialsModule } from './credentials/own/own-credentials.module.js';
import { PasswordResetModule } from './credentials/password-reset/password-reset.module.js';
import { PasskeyRecoveryModule } from './passkey-recovery/passkey-recovery.module.js';
import { PasswordModule } from './credentials/password/password.module.js';
import { PasskeysModule } from './credentials/passkeys/passkeys.module.js';
import { SecondFactorModule } from './credentials/second-factor/second-factor.module.js';
import { EmailChangeModule } from './email-change/email-change.module.js';
import { EmailLinksModule } from './email-links/email-links.module.js';
import { EntryModule } from './entry/entry.module.js';
import { ExpiredSignInsPurge } from './expired-sign-ins-purge.js';
import { HostedSignInModule } from './hosted-sign-in/hosted-sign-in.module.js';
import { HostedSignInStepsModule } from './hosted-sign-in/steps/hosted-sign-in-steps.module.js';
import { MagicLinkModule } from './magic-link/magic-link.module.js';
import { RegistrationModule } from './registration/registration.module.js';
import { SessionModule } from './session/session.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SetupModule } from './setup/setup.module.js';

const PARTS = [
  SessionModule,
  EntryModule,
  SecondFactorModule,
  PasskeysModule,
  AccessModule,
  EmailLinksModule,
  PasswordModule,
  PasswordResetModule,
  OwnCredentialsModule,
  RegistrationModule,
  SignInModule,
  ApiSignInModule,
  ApiPasskeysModule,
  PasskeyRecoveryModule,
  HostedSignInModule,
  MagicLinkModule,
  HostedSignInStepsModule,
  SetupModule,
  AccountDeletionModule,
  EmailChangeModule,
  CredentialStopModule,
];

/**
 * Everything about sign-in, for the composition roots: imports and exports the modules of this folder, and purges
 * expired data. It owns nothing else. The modules for joining, providers, the account page and sign-out depend on it.
 */
@Module({
  // Every process with this module must find the push devices as `RevokedWithUser`, so that they end with the user’s
  // sessions.
  imports: [...PARTS, PushModule],
  providers: [ExpiredSignInsPurge],
  exports: PARTS,
})
export class AuthModule {}
