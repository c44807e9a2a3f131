import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the user of a console session last entered credentials. Null: not known, so the user is asked again. */
export class ConsoleSignInTimes1763700002500 implements MigrationInterface {
  name = 'ConsoleSignInTimes1763700002500';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE console_sessions ADD COLUMN auth_time timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE console_sessions DROP COLUMN auth_time');
  }
}
