import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a recovery last removed a user's known browsers: the next sign-in is not the first one of the account. */
export class BrowsersForgotten1763700002700 implements MigrationInterface {
  name = 'BrowsersForgotten1763700002700';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN browsers_forgotten_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN browsers_forgotten_at');
  }
}
