import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { UsersModule } from '../users/users.module.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { ClientCounters } from './client-counters.js';
import { DiscoveryController } from './endpoints/discovery.controller.js';
import { DiscoveryDocuments } from './endpoints/discovery-documents.js';
import { IntrospectionController } from './endpoints/introspection.controller.js';
import { OAuthTokenController } from './endpoints/oauth-token.controller.js';
import { TokenController } from './endpoints/token.controller.js';
import { UserinfoController } from './endpoints/userinfo.controller.js';
import { ExpiredGrantsPurge } from './expired-grants-purge.js';
import { AuthorizationCode } from './grants/authorization-code.entity.js';
import { AuthorizationCodesRepository } from './grants/authorization-codes.repository.js';
import { AuthorizationCodesService } from './grants/authorization-codes.service.js';
import { ClientCredentialsService } from './grants/client-credentials.service.js';
import { CodeExchangeService } from './grants/code-exchange.service.js';
import { RefreshFamiliesRepository } from './grants/refresh-families.repository.js';
import { RefreshFamily } from './grants/refresh-family.entity.js';
import { RefreshToken } from './grants/refresh-token.entity.js';
import { ActiveGrantsRepository } from './grants/active-grants.repository.js';
import { ActiveGrants } from './grants/active-grants.service.js';
import { RefreshTokensRepository } from './grants/refresh-tokens.repository.js';
import { RefreshTokensService } from './grants/refresh-tokens.service.js';
import { TokenGrantsService } from './grants/token-grants.service.js';
import { RevocationService } from './revocation.service.js';
import { SigningKey } from './keys/signing-key.entity.js';
import { SigningKeys } from './keys/signing-keys.js';
import { SigningKeysRepository } from './keys/signing-keys.repository.js';
import { ActiveUsersMeasure, TokensIssuedMeasure } from './statistics/token-measures.js';
import { IntrospectionService } from './introspection.service.js';
import { LogoutProcessor } from './logout/logout.processor.js';
import { LogoutNoticeHandler } from './logout/logout-notice.handler.js';
import { LogoutNotices } from './logout/logout-notices.service.js';
import { LogoutNoticesRepository } from './logout/logout-notices.repository.js';
import { TokenCheckService } from './token-check.service.js';
import { TokenIssuer } from './token-issuer.js';
import { TokenMetrics } from './token-metrics.js';
import { TokenSigner } from './token-signer.js';
import { TokenVerifier } from './token-verifier.js';
import { UserinfoService } from './userinfo.service.js';

/**
 * Owns tokens: signing keys, access, refresh and service tokens, one-time codes. It never decides that a sign-in is
 * finished: that is `auth`'s, which calls it.
 */
@Module({
  imports: [
    AppsModule,
    UsersModule,
    EnrollmentModule,
    RateLimitsModule,
    OutboundModule,
    DiscoveryModule,
    TypeOrmModule.forFeature([SigningKey, RefreshFamily, RefreshToken, AuthorizationCode]),
  ],
  controllers: [
    TokenController,
    IntrospectionController,
    OAuthTokenController,
    DiscoveryController,
    UserinfoController,
  ],
  providers: [
    DiscoveryDocuments,
    SigningKeys,
    SigningKeysRepository,
    TokenSigner,
    TokenVerifier,
    TokenIssuer,
    TokenMetrics,
    TokenCheckService,
    IntrospectionService,
    LogoutNotices,
    LogoutNoticeHandler,
    LogoutProcessor,
    LogoutNoticesRepository,
    UserinfoService,
    ClientAuthenticator,
    ClientCounters,
    AuthorizationCodesService,
    AuthorizationCodesRepository,
    RefreshTokensService,
    TokensIssuedMeasure,
    ActiveUsersMeasure,
    RefreshTokensRepository,
    RefreshFamiliesRepository,
    RevocationService,
    ActiveGrants,
    ActiveGrantsRepository,
    ClientCredentialsService,
    CodeExchangeService,
    TokenGrantsService,
    ExpiredGrantsPurge,
  ],
  exports: [
    SigningKeys,
    TokenSigner,
    TokenVerifier,
    TokenIssuer,
    TokenCheckService,
    LogoutNotices,
    UserinfoService,
    AuthorizationCodesService,
    RefreshTokensService,
    ActiveGrants,
    CodeExchangeService,
    TokenGrantsService,
  ],
})
export class TokensModule {}
