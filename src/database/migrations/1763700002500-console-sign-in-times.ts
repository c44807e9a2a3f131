import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Console sessions know when their person last showed credentials. Null: not known, so they are asked again. */
export class ConsoleSignInTimes1763700002500 implements MigrationInterface {
  name = 'ConsoleSignInTimes1763700002500';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE console_sessions ADD COLUMN auth_time timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE console_sessions DROP COLUMN auth_time');
  }
}
