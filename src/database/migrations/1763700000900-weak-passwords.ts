import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits a tenant's policy on common and easily guessed passwords to three values, also for rows written by hand. */
export class WeakPasswords1763700000900 implements MigrationInterface {
  name = 'WeakPasswords1763700000900';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE tenants
        ADD CONSTRAINT ck_tenants_weak_passwords CHECK (weak_passwords IN ('off', 'warn', 'block'))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants DROP CONSTRAINT ck_tenants_weak_passwords');
  }
}
