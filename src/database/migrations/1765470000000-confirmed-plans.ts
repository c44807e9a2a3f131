import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A scheduled change that needs a recent sign-in is only made if it needed one for the same reasons when it was planned.
 * Those of before, and of earlier versions that still run, count as not confirmed.
 */
export class ConfirmedPlans1765470000000 implements MigrationInterface {
  name = 'ConfirmedPlans1765470000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE scheduled_changes ADD COLUMN confirmed text[] NOT NULL DEFAULT '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE scheduled_changes DROP COLUMN confirmed');
  }
}
