import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wrong passwords by the address that was tried, for the page with the events of a user. */
export class TriedAddresses1763700001351 implements MigrationInterface {
  name = 'TriedAddresses1763700001351';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX ix_audit_entries_tried ON audit_entries ((metadata ->> 'email'), created_at, id)
        WHERE action = 'user.login_failed' AND user_id IS NULL
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX ix_audit_entries_tried');
  }
}
