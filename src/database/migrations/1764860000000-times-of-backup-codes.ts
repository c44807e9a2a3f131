import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When backup codes were made: after a restore those of before end. Codes that exist get the time of this migration. */
export class TimesOfBackupCodes1764860000000 implements MigrationInterface {
  name = 'TimesOfBackupCodes1764860000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE backup_codes ADD COLUMN created_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE backup_codes DROP COLUMN created_at');
  }
}
