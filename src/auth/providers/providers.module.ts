import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { ExpiredTripsPurge } from './expired-trips-purge.js';
import { ExternalProviders } from './external-providers.js';
import { GuessLimit } from '../joining/guess-limit.js';
import { InviteAcceptController } from './invite-accept.controller.js';
import { LinkedAccountsModule } from './linked/linked-accounts.module.js';
import { NewcomersService } from './newcomers.service.js';
import { OauthController } from './oauth.controller.js';
import { PendingIdentitiesRepository } from './pending/pending-identities.repository.js';
import { PendingIdentities } from './pending/pending-identities.service.js';
import { PendingIdentity } from './pending/pending-identity.entity.js';
import { ProviderHttp } from './protocol/provider-http.js';
import { ProviderInvites } from './provider-invites.service.js';
import { ProviderArrival } from './provider-arrival.js';
import { ProviderDeparture } from './provider-departure.js';
import { ProviderLinking } from './provider-linking.js';
import { ProviderPages } from './provider-pages.js';
import { ProviderSignIn } from './provider-sign-in.service.js';
import { ProviderState } from './state/provider-state.entity.js';
import { ProviderStatesRepository } from './state/provider-states.repository.js';
import { ProviderStates } from './state/provider-states.service.js';

/**
 * Owns sign-in with external identity providers: the trips there and back, and what an identity means here. How the
 * sign-in goes on afterwards is the hosted state machine's; which identities open which account is
 * {@link LinkedAccountsModule}'s.
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
    TypeOrmModule.forFeature([ProviderState, PendingIdentity]),
  ],
  controllers: [OauthController, InviteAcceptController],
  providers: [
    ExternalProviders,
    ProviderHttp,
    ProviderDeparture,
    ProviderArrival,
    ProviderLinking,
    ProviderPages,
    ProviderSignIn,
    ProviderInvites,
    GuessLimit,
    NewcomersService,
    ProviderStates,
    ProviderStatesRepository,
    PendingIdentities,
    PendingIdentitiesRepository,
    ExpiredTripsPurge,
  ],
})
export class ProvidersModule {}
