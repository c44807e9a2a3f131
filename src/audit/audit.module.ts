import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEntry } from './audit-entry.entity.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

/** Owns audit_entries: who did what to whom. Knows none of the features that write to it. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditEntry])],
  providers: [AuditService, AuditRepository],
  exports: [AuditService],
})
export class AuditModule {}
