import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { SigningModule } from '../jwt/signing.module.js';
import { LogoutNoticesModule } from '../logout/logout-notices.module.js';
import { TokenMetrics } from '../statistics/token-metrics.js';
import { ActiveGrantsRepository } from './active-grants.repository.js';
import { ActiveGrants } from './active-grants.service.js';
import { AuthorizationCode } from './authorization-code.entity.js';
import { AuthorizationCodesRepository } from './authorization-codes.repository.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import { ClientCredentialsService } from './client-credentials.service.js';
import { CodeExchangeService } from './code-exchange.service.js';
import { CodeFailures } from './code-failures.js';
import { DeviceAuthorization } from './device-authorization.entity.js';
import { DeviceAuthorizationsRepository } from './device-authorizations.repository.js';
import { DeviceAuthorizations } from './device-authorizations.service.js';
import { DeviceCodeExchange } from './device-code-exchange.service.js';
import { DeviceGrants } from './device-grants.js';
import { ExpiredGrantsPurge } from './expired-grants-purge.js';
import { ExchangeClients } from './exchange-clients.js';
import { ExchangedTokens } from './exchanged-tokens.js';
import { ExtensionGrants } from './extension-grants.js';
import { LiveAccess } from './live-access.js';
import { OAuthRefresh } from './oauth-refresh.js';
import { SubjectTokens } from './subject-tokens.js';
import { TokenExchange } from './token-exchange.entity.js';
import { TokenExchangeRecords } from './token-exchange-records.js';
import { TokenExchangeService } from './token-exchange.service.js';
import { TokenExchangesRepository } from './token-exchanges.repository.js';
import { RefreshFamiliesRepository } from './refresh-families.repository.js';
import { RefreshFamily } from './refresh-family.entity.js';
import { RefreshToken } from './refresh-token.entity.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';
import { CodeGrants } from './code-grants.js';
import { CodeReuse } from './code-reuse.js';
import { ConcurrentRefresh } from './concurrent-refresh.js';
import { ConsentRevocation } from './consent-revocation.service.js';
import { Consent } from './consent.entity.js';
import { ConsentsEndedByProof } from './consents-ended-by-proof.js';
import { ConsentsRepository } from './consents.repository.js';
import { Consents } from './consents.service.js';
import { ConsoleAdmission } from './console-admission.js';
import { RefreshRefusals } from './refresh-refusals.js';
import { RefreshRevocation } from './refresh-revocation.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { TokenGrantsService } from './token-grants.service.js';
import { TokenIssuer } from './token-issuer.js';

/**
 * Owns authorization codes, codes of devices, consents, refresh tokens and exchanged tokens: what a finished sign-in or a
 * client is given, and its tokens.
 */
@Module({
  imports: [
    AppsModule,
    ClientsModule,
    DiscoveryModule,
    EnrollmentModule,
    LogoutNoticesModule,
    RateLimitsModule,
    SigningModule,
    UsersModule,
    TypeOrmModule.forFeature([
      RefreshFamily,
      RefreshToken,
      AuthorizationCode,
      DeviceAuthorization,
      Consent,
      TokenExchange,
    ]),
  ],
  providers: [
    ActiveGrants,
    ActiveGrantsRepository,
    AuthorizationCodesRepository,
    AuthorizationCodesService,
    ClientCredentialsService,
    CodeExchangeService,
    CodeFailures,
    CodeGrants,
    CodeReuse,
    ConcurrentRefresh,
    ConsentRevocation,
    Consents,
    ConsentsEndedByProof,
    ConsentsRepository,
    ConsoleAdmission,
    DeviceAuthorizations,
    DeviceAuthorizationsRepository,
    DeviceCodeExchange,
    DeviceGrants,
    ExchangeClients,
    ExchangedTokens,
    ExpiredGrantsPurge,
    ExtensionGrants,
    LiveAccess,
    OAuthRefresh,
    RefreshFamiliesRepository,
    RefreshRefusals,
    RefreshRevocation,
    RefreshTokensRepository,
    RefreshTokensService,
    SubjectTokens,
    TokenExchangeRecords,
    TokenExchangeService,
    TokenExchangesRepository,
    TokenGrantsService,
    TokenIssuer,
    TokenMetrics,
  ],
  exports: [
    ActiveGrants,
    AuthorizationCodesService,
    CodeExchangeService,
    ConsentRevocation,
    Consents,
    DeviceAuthorizations,
    LiveAccess,
    RefreshFamiliesRepository,
    RefreshRevocation,
    RefreshTokensService,
    TokenExchangeRecords,
    TokenGrantsService,
    TokenIssuer,
  ],
})
export class GrantsModule {}
