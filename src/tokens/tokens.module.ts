import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { UsersModule } from '../users/users.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { DpopModule } from './dpop/dpop.module.js';
import { DeviceAuthorizationController } from './endpoints/device-authorization.controller.js';
import { ClientRegistrationController } from './endpoints/client-registration.controller.js';
import { DiscoveryController } from './endpoints/discovery.controller.js';
import { DiscoveryDocuments } from './endpoints/discovery-documents.js';
import { IntrospectionController } from './endpoints/issued/introspection.controller.js';
import { IntrospectionService } from './endpoints/issued/introspection.service.js';
import { OAuthTokenController } from './endpoints/oauth-token.controller.js';
import { NamedClients } from './endpoints/clients/named-clients.js';
import { PresentedSignIns } from './endpoints/issued/presented-sign-ins.js';
import { RevocationService } from './endpoints/issued/revocation.service.js';
import { IssuedTokensController } from './endpoints/issued/issued-tokens.controller.js';
import { TokenController } from './endpoints/token.controller.js';
import { KnownTokens } from './endpoints/issued/known-tokens.js';
import { TokenCheckService } from './endpoints/issued/token-check.service.js';
import { UserinfoController } from './endpoints/userinfo.controller.js';
import { UserinfoService } from './endpoints/userinfo.service.js';
import { GrantsModule } from './grants/grants.module.js';
import { SigningModule } from './jwt/signing.module.js';
import { LogoutNoticesModule } from './logout/logout-notices.module.js';
import { ActiveUsersMeasure, TokensIssuedMeasure } from './statistics/token-measures.js';

/**
 * The endpoints at which apps get, check and revoke tokens, on top of the modules for signing, clients, grants and
 * logout notices. `auth` decides when a sign-in is complete, and calls them.
 */
@Module({
  imports: [
    AppsModule,
    UsersModule,
    EnrollmentModule,
    ClientsModule,
    DpopModule,
    GrantsModule,
    LogoutNoticesModule,
    SigningModule,
  ],
  controllers: [
    TokenController,
    IssuedTokensController,
    IntrospectionController,
    OAuthTokenController,
    DeviceAuthorizationController,
    ClientRegistrationController,
    DiscoveryController,
    UserinfoController,
  ],
  providers: [
    ActiveUsersMeasure,
    DiscoveryDocuments,
    IntrospectionService,
    NamedClients,
    PresentedSignIns,
    RevocationService,
    KnownTokens,
    TokenCheckService,
    TokensIssuedMeasure,
    UserinfoService,
  ],
  exports: [ClientsModule, DpopModule, GrantsModule, LogoutNoticesModule, SigningModule],
})
export class TokensModule {}
