import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { AuditCheckpoint } from './audit-checkpoint.entity.js';
import { AuditCheckpointer } from './audit-checkpointer.js';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository.js';
import { AuditVerifier } from './audit-verifier.js';
import { CheckpointSigner } from './checkpoint-signer.js';

/**
 * Owns the audit log's signed checkpoints, and verifies the log. Separate from `audit`, because it needs the signing
 * keys, whose creation is itself recorded in the log.
 */
@Module({
  imports: [TypeOrmModule.forFeature([AuditCheckpoint]), TokensModule, TenantsModule],
  providers: [AuditCheckpointer, AuditCheckpointsRepository, AuditVerifier, CheckpointSigner],
  exports: [AuditCheckpointsRepository, AuditVerifier, TenantsModule],
})
export class AuditIntegrityModule {}
