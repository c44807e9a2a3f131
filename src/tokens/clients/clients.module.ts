import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { DpopModule } from '../dpop/dpop.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { ClientAssertions } from './client-assertions.service.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { ClientCounters } from './client-counters.js';
import { PublishedKeys } from './published-keys.js';
import { RefusedClients } from './refused-clients.js';
import { ServiceTokens } from './service-tokens.js';
import { TokenRequestKeys } from './token-request-keys.js';

/** OAuth clients: the app of a request, its attempts, and the validity of its service tokens. Owns no table. */
@Module({
  imports: [AppsModule, DpopModule, OutboundModule, ProofsModule, RateLimitsModule],
  providers: [
    ClientAssertions,
    ClientAuthenticator,
    ClientCounters,
    PublishedKeys,
    RefusedClients,
    ServiceTokens,
    TokenRequestKeys,
  ],
  exports: [ClientAuthenticator, ClientCounters, ServiceTokens, TokenRequestKeys],
})
export class ClientsModule {}
