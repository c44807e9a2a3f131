import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../../tokens/tokens.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { BackupCode } from './backup-code.entity.js';
import { SecondFactor } from './second-factor.entity.js';
import { SecondFactorCheck } from './second-factor-check.service.js';
import { SecondFactorLock } from './second-factor-lock.service.js';
import { SecondFactorService } from './second-factor.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { TotpChallenge } from './totp-challenge.entity.js';
import { TotpChallengesRepository } from './totp-challenges.repository.js';
import { TotpChallenges } from './totp-challenges.service.js';

/** Owns second factors, backup codes and the sign-ins that wait for one. It has no pages and no routes. */
@Module({
  imports: [
    EnrollmentModule,
    RateLimitsModule,
    TokensModule,
    UsersModule,
    TypeOrmModule.forFeature([SecondFactor, BackupCode, TotpChallenge]),
  ],
  providers: [
    SecondFactorService,
    SecondFactorCheck,
    SecondFactorLock,
    SecondFactorsRepository,
    TotpChallenges,
    TotpChallengesRepository,
  ],
  exports: [SecondFactorService, SecondFactorCheck, SecondFactorLock, TotpChallenges],
})
export class SecondFactorModule {}
