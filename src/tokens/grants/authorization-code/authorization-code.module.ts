import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { RefreshModule } from '../refresh/refresh.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { AuthorizationCode } from './authorization-code.entity.js';
import { AuthorizationCodesRepository } from './authorization-codes.repository.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import { CodeExchangeService } from './code-exchange.service.js';
import { CodeFailures } from './code-failures.js';
import { CodeGrants } from './code-grants.js';
import { CodeReuse } from './code-reuse.js';

/** Owns authorization_codes (RFC 6749, 4.1): issues a code after a sign-in, and exchanges it once. */
@Module({
  imports: [
    ClientsModule,
    ConsentModule,
    EnrollmentModule,
    RateLimitsModule,
    RefreshModule,
    RevocationModule,
    TokenMetricsModule,
    UsersModule,
    TypeOrmModule.forFeature([AuthorizationCode]),
  ],
  providers: [
    AuthorizationCodesRepository,
    AuthorizationCodesService,
    CodeExchangeService,
    CodeFailures,
    CodeGrants,
    CodeReuse,
  ],
  exports: [AuthorizationCodesRepository, AuthorizationCodesService, CodeExchangeService, CodeFailures, CodeGrants],
})
export class AuthorizationCodeModule {}
