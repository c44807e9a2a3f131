import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apps that are no longer needed: hidden from lists, and switched off for as long as they are archived. */
export class ArchivedApps1764810000000 implements MigrationInterface {
  name = 'ArchivedApps1764810000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE apps ADD COLUMN archived_at timestamptz,
        ADD CONSTRAINT ck_apps_archived CHECK (archived_at IS NULL OR NOT (is_active OR off_with_tenant OR is_console_app))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN archived_at');
  }
}
