import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { PasskeysModule } from '../../credentials/passkeys/passkeys.module.js';
import { AccountDeletionModule } from '../../account-deletion/account-deletion.module.js';
import { PasswordResetModule } from '../../credentials/password-reset/password-reset.module.js';
import { PasswordModule } from '../../credentials/password/password.module.js';
import { SecondFactorModule } from '../../credentials/second-factor/second-factor.module.js';
import { EmailLinksModule } from '../../email-links/email-links.module.js';
import { MagicLinkModule } from '../../magic-link/magic-link.module.js';
import { PasskeyRecoveryModule } from '../../passkey-recovery/passkey-recovery.module.js';
import { RegistrationModule } from '../../registration/registration.module.js';
import { HostedSignInModule } from '../hosted-sign-in.module.js';
import { ConfirmStep } from './confirm.step.js';
import { ConsentStep } from './consent.step.js';
import { ForgotStep } from './forgot.step.js';
import { JoinStep } from './join.step.js';
import { KeepAccountStep } from './keep-account.step.js';
import { MagicLinkStep } from './magic-link.step.js';
import { NoAccessStep } from './no-access.step.js';
import { OfferPasskeyStep } from './offer-passkey.step.js';
import { PasskeyOptionsController } from './passkey-options.controller.js';
import { PasskeyRecoveryStep } from './passkey-recovery.step.js';
import { PasskeyStep } from './passkey.step.js';
import { PasswordStep } from './password.step.js';
import { SecondFactorSetupStep } from './second-factor-setup.step.js';
import { SecondFactorStep } from './second-factor.step.js';
import { SignUpPasskeyController } from './sign-up-passkey.controller.js';
import { SignUpStep } from './sign-up.step.js';
import { VerifyEmailStep } from './verify-email.step.js';

/** Owns the pages of the hosted sign-in, one class each, except those about invites and requests for access. */
@Module({
  imports: [
    AccountDeletionModule,
    AppsModule,
    EnrollmentModule,
    EmailLinksModule,
    HostedSignInModule,
    MagicLinkModule,
    PasskeyRecoveryModule,
    PasskeysModule,
    PasswordModule,
    PasswordResetModule,
    RegistrationModule,
    SecondFactorModule,
    UsersModule,
  ],
  controllers: [PasskeyOptionsController, SignUpPasskeyController],
  providers: [
    PasskeyStep,
    PasswordStep,
    SignUpStep,
    ForgotStep,
    MagicLinkStep,
    SecondFactorStep,
    SecondFactorSetupStep,
    JoinStep,
    VerifyEmailStep,
    ConfirmStep,
    ConsentStep,
    OfferPasskeyStep,
    PasskeyRecoveryStep,
    KeepAccountStep,
    NoAccessStep,
  ],
})
export class HostedSignInStepsModule {}
