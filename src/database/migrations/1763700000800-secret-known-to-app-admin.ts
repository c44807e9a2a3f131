import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an app admin knows the app's secret (docs/decisions/0015). If an existing one was regenerated, assume it. */
export class SecretKnownToAppAdmin1763700000800 implements MigrationInterface {
  name = 'SecretKnownToAppAdmin1763700000800';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps ADD COLUMN secret_known_to_app_admin boolean NOT NULL DEFAULT false');
    await db.query(`
      UPDATE apps SET secret_known_to_app_admin = true
      WHERE EXISTS (SELECT 1 FROM audit_entries e WHERE e.app_id = apps.id AND e.action = 'app.secret_regenerated')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN secret_known_to_app_admin');
  }
}
