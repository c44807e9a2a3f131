import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users who delete their own account after a waiting time, where their tenants allow it. Off for the tenants of today. */
export class AccountDeletions1764880000000 implements MigrationInterface {
  name = 'AccountDeletions1764880000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE tenants ADD COLUMN allow_account_deletion boolean NOT NULL DEFAULT false;
      ALTER TABLE users ADD COLUMN deletion_due_at timestamptz, ADD COLUMN deletion_reminded_at timestamptz;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE users DROP COLUMN deletion_reminded_at, DROP COLUMN deletion_due_at;
      ALTER TABLE tenants DROP COLUMN allow_account_deletion;
    `);
  }
}
