import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { ClientCounters } from './client-counters.js';
import { RefusedClients } from './refused-clients.js';

/** OAuth clients: which app a request comes from, and its tries. Owns no table. */
@Module({
  imports: [AppsModule, RateLimitsModule],
  providers: [ClientAuthenticator, ClientCounters, RefusedClients],
  exports: [ClientAuthenticator, ClientCounters],
})
export class ClientsModule {}
