import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a user did, for the audit log's filter by a user. Services and the system have no such filter. */
export class AuditActors1764700000000 implements MigrationInterface {
  name = 'AuditActors1764700000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX ix_audit_entries_actor ON audit_entries (actor_id, created_at, id) WHERE actor_type = 'user'
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX ix_audit_entries_actor');
  }
}
