import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { GuessLimit } from '../joining/invitation/guess-limit.js';
import { AccountCreation } from './identities/account-creation.service.js';
import { AppStart } from './start/app-start.js';
import { ExpiredStatesPurge } from './state/expired-states-purge.js';
import { IdentityAccounts } from './identities/identity-accounts.service.js';
import { IdentityEntry } from './identities/identity-entry.service.js';
import { ProviderProof } from './identities/provider-proof.service.js';
import { IdentityLink } from './identities/identity-link.service.js';
import { InviteAcceptController } from './invites/invite-accept.controller.js';
import { InviteContinuation } from './invites/invite-continuation.service.js';
import { InvitePage } from './invites/invite-page.js';
import { InvitePageController } from './invites/invite-page.controller.js';
import { InvitedIdentity } from './invites/invited-identity.service.js';
import { LinkPages } from './pages/link-pages.js';
import { LinkedAccountsModule } from './linked/linked-accounts.module.js';
import { OauthController } from './oauth.controller.js';
import { PageStart } from './start/page-start.js';
import { PasswordlessAccounts } from './identities/passwordless-accounts.service.js';
import { PendingInvitations } from './invites/pending-invitations.service.js';
import { PendingIdentitiesRepository } from './pending/pending-identities.repository.js';
import { PendingIdentities } from './pending/pending-identities.service.js';
import { PendingIdentity } from './pending/pending-identity.entity.js';
import { ProviderHttp } from './protocol/provider-http.js';
import { ProviderCallback } from './callback/provider-callback.js';
import { ProviderCompletion } from './callback/provider-completion.js';
import { ProviderInvites } from './invites/provider-invites.service.js';
import { ProviderLinking } from './pages/provider-linking.js';
import { ProviderPages } from './pages/provider-pages.js';
import { ProviderRedirects } from './pages/provider-redirects.js';
import { ProviderSignIn } from './identities/provider-sign-in.service.js';
import { ProviderStart } from './start/provider-start.js';
import { ProviderStrategies } from './provider-strategies.js';
import { ProviderState } from './state/provider-state.entity.js';
import { ProviderStatesRepository } from './state/provider-states.repository.js';
import { ProviderStates } from './state/provider-states.service.js';

/**
 * Owns sign-in with external identity providers: the redirect, the callback, and what an identity may do here. The
 * state machine of the hosted sign-in decides the next step. {@link LinkedAccountsModule} owns the links between
 * identities and accounts.
 */
@Module({
  imports: [
    AuthModule,
    AppsModule,
    UsersModule,
    EnrollmentModule,
    RateLimitsModule,
    InvitesModule,
    LinkedAccountsModule,
    PasskeysModule,
    TypeOrmModule.forFeature([ProviderState, PendingIdentity]),
  ],
  controllers: [OauthController, InviteAcceptController, InvitePageController],
  providers: [
    ProviderStrategies,
    ProviderHttp,
    ProviderStart,
    AppStart,
    PageStart,
    ProviderRedirects,
    ProviderCallback,
    ProviderCompletion,
    ProviderSignIn,
    IdentityAccounts,
    IdentityEntry,
    ProviderProof,
    AccountCreation,
    PasswordlessAccounts,
    ProviderPages,
    ProviderLinking,
    LinkPages,
    IdentityLink,
    ProviderInvites,
    PendingInvitations,
    InvitedIdentity,
    InviteContinuation,
    InvitePage,
    GuessLimit,
    ProviderStates,
    ProviderStatesRepository,
    PendingIdentities,
    PendingIdentitiesRepository,
    ExpiredStatesPurge,
  ],
})
export class ProvidersModule {}
