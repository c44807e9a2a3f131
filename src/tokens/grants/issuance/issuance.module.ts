import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { SigningModule } from '../../jwt/signing.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { TokenIssuer } from './token-issuer.js';

/** Issues the tokens of a grant of any kind. Owns no table. */
@Module({
  imports: [AppsModule, SigningModule, TokenMetricsModule],
  providers: [TokenIssuer],
  exports: [TokenIssuer],
})
export class IssuanceModule {}
