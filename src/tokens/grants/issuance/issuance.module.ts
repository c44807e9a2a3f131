import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { SigningModule } from '../../jwt/signing.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { TokenIssuer } from './token-issuer.js';

/** Makes the tokens of a grant, whichever way it came about. Owns no table. */
@Module({
  imports: [AppsModule, SigningModule, TokenMetricsModule],
  providers: [TokenIssuer],
  exports: [TokenIssuer],
})
export class IssuanceModule {}
