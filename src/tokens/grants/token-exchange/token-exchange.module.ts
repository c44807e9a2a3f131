import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { SigningModule } from '../../jwt/signing.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { TokenFamilyModule } from '../token-family/token-family.module.js';
import { ExchangeClients } from './exchange-clients.js';
import { ExchangedTokens } from './exchanged-tokens.js';
import { LiveAccess } from './live-access.js';
import { SubjectTokens } from './subject-tokens.js';
import { TokenExchangeRecords } from './token-exchange-records.js';
import { TokenExchange } from './token-exchange.entity.js';
import { TokenExchangeService } from './token-exchange.service.js';
import { TokenExchangesRepository } from './token-exchanges.repository.js';

/** Owns token_exchanges (RFC 8693): tokens for another resource, and whether an access token is still valid. */
@Module({
  imports: [
    AppsModule,
    ClientsModule,
    ConsentModule,
    EnrollmentModule,
    RateLimitsModule,
    SigningModule,
    TokenFamilyModule,
    TokenMetricsModule,
    UsersModule,
    TypeOrmModule.forFeature([TokenExchange]),
  ],
  providers: [
    ExchangeClients,
    ExchangedTokens,
    LiveAccess,
    SubjectTokens,
    TokenExchangeRecords,
    TokenExchangeService,
    TokenExchangesRepository,
  ],
  exports: [LiveAccess, TokenExchangeRecords, TokenExchangeService, TokenExchangesRepository],
})
export class TokenExchangeModule {}
