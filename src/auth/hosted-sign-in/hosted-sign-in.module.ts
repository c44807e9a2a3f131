import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { SessionModule } from '../session/session.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { AccountSignInController } from './account-sign-in.controller.js';
import { BrowserAttempts } from './browser-attempts.js';
import { Identification } from './identification.service.js';
import { LoginController } from './login.controller.js';
import { OnwardRedirect } from './onward-redirect.js';
import { RefusedSignIns } from './refused-sign-ins.service.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import { SignInDelivery } from './sign-in-delivery.service.js';
import { SignInPages } from './sign-in-pages.js';
import { SignInPreview } from './sign-in-preview.js';
import { SignInSteps } from './sign-in-steps.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { SpentLink } from './spent-link.js';
import { AccountSwitch } from './account-switch.js';
import { AttemptRedirect } from './attempt-redirect.js';
import { AttemptEnding } from './attempt-ending.js';
import { AskedConsents } from './asked-consents.service.js';
import { ClientJoins } from './client-joins.js';
import { ConsentAnswers } from './consent-answers.service.js';
import { AttemptFacts } from './attempt-facts.service.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { AttemptAccess } from './attempt-access.js';
import { AuthorizationRequests } from './authorization-requests.service.js';
import { AuthorizeFlow } from './authorize-flow.js';
import { PushedRequest } from './pushed-request.entity.js';
import { PushedRequestsController } from './pushed-requests.controller.js';
import { PushedRequestsRepository } from './pushed-requests.repository.js';
import { PushedRequests } from './pushed-requests.service.js';
import { ProvenSignIn } from './proven-sign-in.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import { SignInForms } from './sign-in-forms.js';
import { SignInResponder } from './sign-in-responder.js';
import { SignInStart } from './sign-in-start.js';
import { SignInViews } from './sign-in-views.js';
import { SpentLinkPage } from './spent-link-page.js';

/**
 * Owns sign-in on hosted pages: the attempt, the state machine, the answer to the app. It knows no single step: those are
 * found by their base class.
 */
@Module({
  imports: [
    DiscoveryModule,
    AppsModule,
    TokensModule,
    UsersModule,
    EnrollmentModule,
    EntryModule,
    SessionModule,
    SignInModule,
    TypeOrmModule.forFeature([PushedRequest, SignInAttempt]),
  ],
  controllers: [LoginController, PushedRequestsController, SignInController, AccountSignInController],
  providers: [
    AccountSwitch,
    AttemptAccess,
    AttemptEnding,
    AttemptRedirect,
    AttemptFacts,
    AskedConsents,
    ClientJoins,
    ConsentAnswers,
    AuthorizationRequests,
    AuthorizeFlow,
    ProvenSignIn,
    PushedRequests,
    PushedRequestsRepository,
    SignInAttempts,
    SignInForms,
    SignInResponder,
    SignInStart,
    SignInViews,
    SpentLinkPage,
    SignInService,
    SignInSteps,
    SignInPages,
    SignInPreview,
    SignInDelivery,
    RefusedSignIns,
    SignInAttemptsRepository,
    Identification,
    BrowserAttempts,
    OnwardRedirect,
    SpentLink,
  ],
  exports: [
    AskedConsents,
    ClientJoins,
    ConsentAnswers,
    AttemptAccess,
    ProvenSignIn,
    SignInAttempts,
    SignInService,
    SignInPages,
    SignInPreview,
    SignInAttemptsRepository,
    Identification,
    BrowserAttempts,
    OnwardRedirect,
    SpentLink,
  ],
})
export class HostedSignInModule {}
