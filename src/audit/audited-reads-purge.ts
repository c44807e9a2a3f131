import { Injectable } from '@nestjs/common';
import { purgeExpired } from '../database/purge-expired.js';
import { Statements } from '../database/statements.js';
import { PurgeJob } from '../delivery/periodic/purge-job.js';

/** Removes reads whose hour is over. */
@Injectable()
export class AuditedReadsPurge extends PurgeJob {
  override readonly name = 'audit.purge_reads';

  constructor(private readonly statements: Statements) {
    super();
  }

  protected override purges() {
    return [() => purgeExpired(this.statements, 'audited_reads', '0')];
  }
}
