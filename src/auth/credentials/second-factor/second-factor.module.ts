import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../../tokens/tokens.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { CredentialNoticesModule } from '../notices/credential-notices.module.js';
import { BackupCode } from './stored/backup-code.entity.js';
import { PendingTotpSetups } from './management/pending-totp-setups.service.js';
import { SecondFactor } from './stored/second-factor.entity.js';
import { SecondFactorCheck } from './check/second-factor-check.service.js';
import { BackupCodes } from './management/backup-codes.service.js';
import { SecondFactorChanges } from './management/second-factor-changes.service.js';
import { SecondFactorCodes } from './check/second-factor-codes.service.js';
import { SecondFactorSetup } from './management/second-factor-setup.service.js';
import { SecondFactorTries } from './check/second-factor-tries.service.js';
import { TotpSecrets } from './stored/totp-secrets.js';
import { SecondFactorLock } from './check/second-factor-lock.service.js';
import { SecondFactorService } from './management/second-factor.service.js';
import { SecondFactorsRepository } from './stored/second-factors.repository.js';
import { TotpChallenge } from './check/totp-challenge.entity.js';
import { TotpChallengesRepository } from './check/totp-challenges.repository.js';
import { TotpChallenges } from './check/totp-challenges.service.js';

/** Owns second factors, backup codes and the sign-ins that wait for one. It has no pages and no routes. */
@Module({
  imports: [
    CredentialNoticesModule,
    EnrollmentModule,
    RateLimitsModule,
    TokensModule,
    UsersModule,
    TypeOrmModule.forFeature([SecondFactor, BackupCode, TotpChallenge]),
  ],
  providers: [
    SecondFactorService,
    SecondFactorSetup,
    SecondFactorCheck,
    SecondFactorTries,
    SecondFactorCodes,
    SecondFactorChanges,
    BackupCodes,
    PendingTotpSetups,
    TotpSecrets,
    SecondFactorLock,
    SecondFactorsRepository,
    TotpChallenges,
    TotpChallengesRepository,
  ],
  exports: [
    SecondFactorService,
    SecondFactorSetup,
    SecondFactorCheck,
    SecondFactorTries,
    SecondFactorLock,
    BackupCodes,
    TotpChallenges,
  ],
})
export class SecondFactorModule {}
