import type { MigrationInterface, QueryRunner } from 'typeorm';

/** New tenants refuse common and easily guessed passwords; those that exist keep what they have. */
export class BlockWeakPasswords1763700002510 implements MigrationInterface {
  name = 'BlockWeakPasswords1763700002510';

  async up(db: QueryRunner): Promise<void> {
    await db.query("ALTER TABLE tenants ALTER COLUMN weak_passwords SET DEFAULT 'block'");
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query("ALTER TABLE tenants ALTER COLUMN weak_passwords SET DEFAULT 'warn'");
  }
}
