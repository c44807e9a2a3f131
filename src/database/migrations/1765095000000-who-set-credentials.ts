import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether users have made their account and set their password themselves. False also for rows from before this version, and for those that
 * the version before this one makes: it is not known of them.
 */
export class WhoSetCredentials1765095000000 implements MigrationInterface {
  name = 'WhoSetCredentials1765095000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE users
        ADD COLUMN made_by_owner boolean NOT NULL DEFAULT false,
        ADD COLUMN password_by_owner boolean NOT NULL DEFAULT false
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN made_by_owner, DROP COLUMN password_by_owner');
  }
}
