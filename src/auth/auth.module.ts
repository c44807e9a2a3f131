import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { PushModule } from '../push/push.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './api-sign-in/auth.controller.js';
import { ExpiredSignInsPurge } from './expired-sign-ins-purge.js';
import { InvitesModule } from '../invites/invites.module.js';
import { LinkedAccountsModule } from './providers/linked/linked-accounts.module.js';
import { PasswordCheckService } from './credentials/password/password-check.service.js';
import { PasswordLoginService } from './api-sign-in/password-login.service.js';
import { DenialPlaces } from './access/denial-places.service.js';
import { KnownBrowserCookie } from './session/known-browser-cookie.js';
import { KnownBrowser } from './session/known-browser.entity.js';
import { KnownBrowsersRepository } from './session/known-browsers.repository.js';
import { KnownBrowsers } from './session/known-browsers.service.js';
import { NewSignInNotice } from './session/new-sign-in-notice.service.js';
import { PersonLimits } from './session/person-limits.service.js';
import { SsoSession } from './session/sso-session.entity.js';
import { SsoSessionsRepository } from './session/sso-sessions.repository.js';
import { SsoSessionsService } from './session/sso-sessions.service.js';
import { FirstAdminLink } from './setup/first-admin-link.entity.js';
import { FirstAdminRepository } from './setup/first-admin.repository.js';
import { FirstAdminService } from './setup/first-admin.service.js';
import { SetupController } from './setup/setup.controller.js';
import { BrowserAttempts } from './hosted-sign-in/browser-attempts.js';
import { BrowserBinding } from './session/browser-binding.js';
import { LastMethod } from './session/last-method.js';
import { LoginController } from './hosted-sign-in/login.controller.js';
import { SignInAttempt } from './hosted-sign-in/sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './hosted-sign-in/sign-in-attempts.repository.js';
import { SignInController } from './hosted-sign-in/sign-in.controller.js';
import { SignInDelivery } from './hosted-sign-in/sign-in-delivery.service.js';
import { OnwardRedirect } from './hosted-sign-in/onward-redirect.js';
import { SignInFlow } from './hosted-sign-in/sign-in-flow.js';
import { SignInPages } from './hosted-sign-in/sign-in-pages.js';
import { SignInService } from './hosted-sign-in/sign-in.service.js';
import { SignInSteps } from './hosted-sign-in/sign-in-steps.js';
import { SpentLink } from './hosted-sign-in/spent-link.js';
import { JoinStep } from './hosted-sign-in/steps/join.step.js';
import { NoAccessStep } from './hosted-sign-in/steps/no-access.step.js';
import { ForgotStep } from './hosted-sign-in/steps/forgot.step.js';
import { MagicLinkStep } from './hosted-sign-in/steps/magic-link.step.js';
import { PasswordStep } from './hosted-sign-in/steps/password.step.js';
import { ConfirmStep } from './hosted-sign-in/steps/confirm.step.js';
import { VerifyEmailStep } from './hosted-sign-in/steps/verify-email.step.js';
import { SignUpStep } from './hosted-sign-in/steps/sign-up.step.js';
import { EmailVerificationService } from './email-links/email-verification.service.js';
import { MailLink } from './email-links/mail-link.entity.js';
import { MailLinksRepository } from './email-links/mail-links.repository.js';
import { MailLinksService } from './email-links/mail-links.service.js';
import { MailboxProofService } from './email-links/mailbox-proof.service.js';
import { VerificationController } from './email-links/verification.controller.js';
import { MagicLinkController } from './magic-link/magic-link.controller.js';
import { MagicLinkFlow } from './magic-link/magic-link-flow.js';
import { MagicLinkPages } from './magic-link/magic-link-pages.js';
import { MagicLinkRequestedHandler } from './magic-link/magic-link-requested.handler.js';
import { MagicLinkService } from './magic-link/magic-link.service.js';
import { NewPasswordService } from './credentials/password/new-password.service.js';
import { BreachMetrics } from './credentials/password/breach-metrics.js';
import { BreachedPasswords } from './credentials/password/breached-passwords.js';
import { PasswordPolicyService } from './credentials/password/password-policy.service.js';
import { PasswordResetController } from './credentials/password-reset/password-reset.controller.js';
import { PasswordResetPages } from './credentials/password-reset/password-reset-pages.js';
import { PasswordResetService } from './credentials/password-reset/password-reset.service.js';
import { ResetRequestedHandler } from './credentials/password-reset/reset-requested.handler.js';
import { AccountHolders } from './access/account-holder.service.js';
import { AccountSecurityController } from './credentials/own/account-security.controller.js';
import { SecondFactorModule } from './credentials/second-factor/second-factor.module.js';
import { SecondFactorSetupStep } from './hosted-sign-in/steps/second-factor-setup.step.js';
import { SecondFactorStep } from './hosted-sign-in/steps/second-factor.step.js';
import { TotpController } from './api-sign-in/totp.controller.js';
import { TotpLoginService } from './api-sign-in/totp-login.service.js';
import { DenialRecorder } from '../common/errors/denial-recorder.js';
import { AuditedDenials } from './access/audited-denials.js';
import { BearerTokens } from './access/bearer-tokens.service.js';
import { RecentSignIn } from './access/recent-sign-in.service.js';
import { DirectSignInService } from './api-sign-in/direct-sign-in.service.js';
import { AccountSignInController } from './hosted-sign-in/account-sign-in.controller.js';
import { Identification } from './hosted-sign-in/identification.service.js';
import { SignInAnswers } from './api-sign-in/sign-in-answers.js';
import { SignUpLoginService } from './api-sign-in/sign-up-login.service.js';
import { SignUpService } from './registration/sign-up.service.js';
import { SignInCompletionService } from './entry/sign-in-completion.service.js';

const STEPS = [
  PasswordStep,
  SignUpStep,
  ForgotStep,
  MagicLinkStep,
  SecondFactorStep,
  SecondFactorSetupStep,
  JoinStep,
  VerifyEmailStep,
  ConfirmStep,
  NoAccessStep,
];

/**
 * Owns sign-in: the hosted state machine, the SSO session, the access guard, the first administrator. It decides that
 * a sign-in is finished and asks `tokens` for what follows.
 */
@Module({
  imports: [
    TenantsModule,
    AppsModule,
    UsersModule,
    EnrollmentModule,
    TokensModule,
    RateLimitsModule,
    LinkedAccountsModule,
    InvitesModule,
    DiscoveryModule,
    SecondFactorModule,
    // Devices end with everything else of a person, wherever this module runs.
    PushModule,
    OutboundModule,
    TypeOrmModule.forFeature([SsoSession, KnownBrowser, SignInAttempt, FirstAdminLink, MailLink]),
  ],
  controllers: [
    AuthController,
    LoginController,
    SignInController,
    SetupController,
    MagicLinkController,
    PasswordResetController,
    VerificationController,
    TotpController,
    AccountSecurityController,
    AccountSignInController,
  ],
  providers: [
    { provide: DenialRecorder, useClass: AuditedDenials },
    DenialPlaces,
    PersonLimits,
    BearerTokens,
    AccountHolders,
    DirectSignInService,
    SignInAnswers,
    TotpLoginService,
    Identification,
    PasswordCheckService,
    PasswordLoginService,
    SignInCompletionService,
    SsoSessionsService,
    SsoSessionsRepository,
    KnownBrowsers,
    NewSignInNotice,
    KnownBrowsersRepository,
    KnownBrowserCookie,
    BrowserBinding,
    BrowserAttempts,
    SpentLink,
    SignInService,
    SignInDelivery,
    SignInAttemptsRepository,
    SignInFlow,
    OnwardRedirect,
    SignInPages,
    FirstAdminService,
    FirstAdminRepository,
    ExpiredSignInsPurge,
    MailLinksService,
    MailLinksRepository,
    MailboxProofService,
    EmailVerificationService,
    MagicLinkService,
    MagicLinkFlow,
    MagicLinkPages,
    MagicLinkRequestedHandler,
    PasswordPolicyService,
    BreachedPasswords,
    BreachMetrics,
    RecentSignIn,
    NewPasswordService,
    PasswordResetService,
    PasswordResetPages,
    ResetRequestedHandler,
    SignUpService,
    SignUpLoginService,
    LastMethod,
    SignInSteps,
    ...STEPS,
  ],
  exports: [
    SecondFactorModule,
    DenialRecorder,
    PersonLimits,
    SsoSessionsService,
    KnownBrowsers,
    KnownBrowserCookie,
    SignInCompletionService,
    FirstAdminService,
    BrowserBinding,
    BrowserAttempts,
    BearerTokens,
    AccountHolders,
    DirectSignInService,
    SignInAnswers,
    Identification,
    SignInService,
    SignInFlow,
    OnwardRedirect,
    SignInAttemptsRepository,
    MailLinksService,
    MailboxProofService,
    EmailVerificationService,
    PasswordPolicyService,
    RecentSignIn,
    SignInPages,
    LastMethod,
    NewPasswordService,
  ],
})
export class AuthModule {}
