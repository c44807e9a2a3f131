import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccessModule } from '../access/access.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { SessionModule } from '../session/session.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { AccountSignInController } from './start/account-sign-in.controller.js';
import { BrowserAttempts } from './attempts/browser-attempts.js';
import { Identification } from './attempts/identification.service.js';
import { LoginController } from './start/login.controller.js';
import { OnwardRedirect } from './redirects/onward-redirect.js';
import { RefusedSignIns } from './completion/refused-sign-ins.service.js';
import { SignInAttempt } from './attempts/sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './attempts/sign-in-attempts.repository.js';
import { SignInDelivery } from './completion/sign-in-delivery.service.js';
import { SignInPages } from './pages/sign-in-pages.js';
import { SignInPreview } from './pages/sign-in-preview.js';
import { SignInSteps } from './completion/sign-in-steps.js';
import { SignInController } from './pages/sign-in.controller.js';
import { SignInService } from './completion/sign-in.service.js';
import { UsedLink } from './start/used-link.js';
import { AccountSwitch } from './pages/account-switch.js';
import { AttemptRedirect } from './redirects/attempt-redirect.js';
import { AttemptFinisher } from './completion/attempt-finisher.js';
import { ConsentCheck } from './attempts/consent-check.service.js';
import { ClientJoins } from './completion/client-joins.js';
import { ConsentAnswers } from './completion/consent-answers.service.js';
import { AttemptFacts } from './attempts/attempt-facts.service.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { AttemptSessions } from './attempts/attempt-sessions.service.js';
import { AttemptAccess } from './attempts/attempt-access.js';
import { AuthorizationRequests } from './authorization-request/authorization-requests.service.js';
import { AuthorizeFlow } from './start/authorize-flow.js';
import { PushedRequest } from './authorization-request/pushed-request.entity.js';
import { PushedRequestsController } from './authorization-request/pushed-requests.controller.js';
import { PushedRequestsPurge } from './authorization-request/pushed-requests-purge.js';
import { PushedRequestsRepository } from './authorization-request/pushed-requests.repository.js';
import { PushedRequests } from './authorization-request/pushed-requests.service.js';
import { ProvenSignIn } from './start/proven-sign-in.js';
import { SignInAttempts } from './attempts/sign-in-attempts.service.js';
import { SignInForms } from './pages/sign-in-forms.js';
import { SignInResponder } from './pages/sign-in-responder.js';
import { SignInStart } from './start/sign-in-start.js';
import { SignInViews } from './pages/sign-in-views.js';
import { UsedLinkPage } from './start/used-link-page.js';

/**
 * Owns sign-in on hosted pages: the attempt, the state machine, the response to the app. It knows no single step: steps
 * are found by their base class.
 */
@Module({
  imports: [
    DiscoveryModule,
    AppsModule,
    TokensModule,
    UsersModule,
    AccessModule,
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
    AttemptFinisher,
    AttemptSessions,
    AttemptRedirect,
    AttemptFacts,
    ConsentCheck,
    ClientJoins,
    ConsentAnswers,
    AuthorizationRequests,
    AuthorizeFlow,
    ProvenSignIn,
    PushedRequests,
    PushedRequestsPurge,
    PushedRequestsRepository,
    SignInAttempts,
    SignInForms,
    SignInResponder,
    SignInStart,
    SignInViews,
    UsedLinkPage,
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
    UsedLink,
  ],
  exports: [
    ConsentCheck,
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
    UsedLink,
  ],
})
export class HostedSignInModule {}
