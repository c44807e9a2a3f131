import { Module } from '@nestjs/common';
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
import { ForgotStep } from './first-factor/forgot.step.js';
import { JoinStep } from './sign-up/join.step.js';
import { KeepAccountStep } from './sign-up/keep-account.step.js';
import { MagicLinkStep } from './first-factor/magic-link.step.js';
import { NoAccessStep } from './no-access.step.js';
import { OfferPasskeyStep } from './offer-passkey.step.js';
import { PasskeyOptionsController } from './first-factor/passkey-options.controller.js';
import { PasskeyRecoveryStep } from './second-factor/passkey-recovery.step.js';
import { PasskeyStep } from './first-factor/passkey.step.js';
import { PasswordStep } from './first-factor/password.step.js';
import { SecondFactorSetupStep } from './second-factor/second-factor-setup.step.js';
import { SecondFactorStep } from './second-factor/second-factor.step.js';
import { SignUpPasskeyController } from './sign-up/sign-up-passkey.controller.js';
import { SignUpStep } from './sign-up/sign-up.step.js';
import { VerifyEmailStep } from './sign-up/verify-email.step.js';

/** Owns the steps of the hosted sign-in, one class each, except those about invites and requests for access. */
@Module({
  imports: [
    AccountDeletionModule,
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
