import { Module } from '@nestjs/common';
import { AuthorizationCodeModule } from './authorization-code/authorization-code.module.js';
import { ClientCredentialsModule } from './client-credentials/client-credentials.module.js';
import { ConsentModule } from './consent/consent.module.js';
import { DeviceModule } from './device/device.module.js';
import { ExpiredGrantsPurge } from './expired-grants-purge.js';
import { ExtensionGrants } from './extension-grants.js';
import { IssuanceModule } from './issuance/issuance.module.js';
import { RefreshModule } from './refresh/refresh.module.js';
import { RevocationModule } from './revocation/revocation.module.js';
import { TokenExchangeModule } from './token-exchange/token-exchange.module.js';
import { TokenFamilyModule } from './token-family/token-family.module.js';
import { TokenGrantsService } from './token-grants.service.js';

/** What a completed sign-in or a client gets, and its tokens: one module per grant, and the purge for all of them. */
@Module({
  imports: [
    AuthorizationCodeModule,
    ClientCredentialsModule,
    ConsentModule,
    DeviceModule,
    IssuanceModule,
    RefreshModule,
    RevocationModule,
    TokenExchangeModule,
    TokenFamilyModule,
  ],
  providers: [ExpiredGrantsPurge, ExtensionGrants, TokenGrantsService],
  exports: [
    AuthorizationCodeModule,
    ConsentModule,
    DeviceModule,
    IssuanceModule,
    RefreshModule,
    RevocationModule,
    TokenExchangeModule,
    TokenFamilyModule,
    TokenGrantsService,
  ],
})
export class GrantsModule {}
