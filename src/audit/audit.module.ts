import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditedRead } from './audited-read.entity.js';
import { AuditedReads } from './audited-reads.js';
import { AuditedReadsPurge } from './audited-reads-purge.js';
import { AuditExports } from './audit-exports.js';
import { AuditEntry } from './entries/audit-entry.entity.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { AuditChain } from './chain/audit-chain.entity.js';
import { AuditChainsRepository } from './chain/audit-chains.repository.js';
import { AuditSealer } from './chain/audit-sealer.js';
import { LoginFailures } from './login-failures.js';
import { FailureMeasure, PasskeySignInMeasure, SignInMeasure } from './statistics/audited-measures.js';

/**
 * Owns audit_entries and their chains: who did what to whom, and proof that it was not changed since. Does not know the
 * modules that write entries, and does not sign: the checkpoints are signed in a higher module, which has the keys.
 */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditEntry, AuditChain, AuditedRead])],
  providers: [
    AuditService,
    AuditedReads,
    AuditedReadsPurge,
    AuditExports,
    AuditRepository,
    AuditChainsRepository,
    AuditSealer,
    SignInMeasure,
    FailureMeasure,
    PasskeySignInMeasure,
    LoginFailures,
  ],
  exports: [AuditService, AuditedReads, AuditExports, AuditChainsRepository],
})
export class AuditModule {}
