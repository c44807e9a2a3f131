import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads of secrets that have an entry in the audit log, so that repetitions within an hour have none. */
export class AuditedReads1765381000000 implements MigrationInterface {
  name = 'AuditedReads1765381000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE audited_reads (
        read_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_audited_reads PRIMARY KEY (read_hash)
      );
      CREATE INDEX ix_audited_reads_expires ON audited_reads (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE audited_reads');
  }
}
