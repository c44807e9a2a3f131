import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { TokenMetricsModule } from '../../statistics/token-metrics.module.js';
import { TokenFamilyModule } from '../token-family/token-family.module.js';
import { ConcurrentRefresh } from './concurrent-refresh.js';
import { ConsoleAdmission } from './console-admission.js';
import { OAuthRefresh } from './oauth-refresh.js';
import { RefreshClients } from './refresh-clients.js';
import { RefreshRefusals } from './refresh-refusals.js';
import { RefreshToken } from './refresh-token.entity.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

/** Owns refresh_tokens: issues them, replaces them, and reacts to replays. */
@Module({
  imports: [
    AppsModule,
    ClientsModule,
    EnrollmentModule,
    TokenFamilyModule,
    TokenMetricsModule,
    TypeOrmModule.forFeature([RefreshToken]),
  ],
  providers: [
    ConcurrentRefresh,
    ConsoleAdmission,
    OAuthRefresh,
    RefreshClients,
    RefreshRefusals,
    RefreshTokensRepository,
    RefreshTokensService,
  ],
  exports: [OAuthRefresh, RefreshClients, RefreshTokensRepository, RefreshTokensService],
})
export class RefreshModule {}
