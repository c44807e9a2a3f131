import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { StopLinksModule } from '../stop-links/stop-links.module.js';
import { PasskeyRecoveriesRepository } from './passkey-recoveries.repository.js';
import { PasskeyRecoveryController } from './passkey-recovery.controller.js';
import { PasskeyRecoveryEnd } from './passkey-recovery-end.service.js';
import { PasskeyRecoveryRequest } from './passkey-recovery.entity.js';
import { PasskeyRecoveryNotices } from './passkey-recovery-notices.js';
import { PasskeyRecoveryRequests } from './passkey-recovery-requests.service.js';
import { PasskeyRecoveryStop } from './passkey-recovery-stop.service.js';
import { RecoveryEndedWithAccount } from './recovery-ended-with-account.js';

/**
 * Owns the recovery of users who must use two factors and have lost all their passkeys: a waiting time, its notice, and
 * the link that stops it. The page on which users request it is a step of the hosted sign-in.
 */
@Module({
  imports: [
    EnrollmentModule,
    RateLimitsModule,
    TokensModule,
    UsersModule,
    PasskeysModule,
    StopLinksModule,
    TypeOrmModule.forFeature([PasskeyRecoveryRequest]),
  ],
  controllers: [PasskeyRecoveryController],
  providers: [
    PasskeyRecoveriesRepository,
    PasskeyRecoveryEnd,
    PasskeyRecoveryNotices,
    PasskeyRecoveryRequests,
    PasskeyRecoveryStop,
    RecoveryEndedWithAccount,
  ],
  exports: [PasskeyRecoveryEnd, PasskeyRecoveryRequests, PasskeyRecoveryStop],
})
export class PasskeyRecoveryModule {}
