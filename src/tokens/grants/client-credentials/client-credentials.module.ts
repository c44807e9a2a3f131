import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { SigningModule } from '../../jwt/signing.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { ClientCredentialsService } from './client-credentials.service.js';

/** Service tokens for apps that authenticate (RFC 6749, 4.4). Owns no table. */
@Module({
  imports: [ClientsModule, RateLimitsModule, SigningModule, TokenMetricsModule],
  providers: [ClientCredentialsService],
  exports: [ClientCredentialsService],
})
export class ClientCredentialsModule {}
