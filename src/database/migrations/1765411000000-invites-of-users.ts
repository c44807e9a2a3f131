import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An invite of a user whose account was deleted is not one of the app's server. */
export class InvitesOfUsers1765411000000 implements MigrationInterface {
  name = 'InvitesOfUsers1765411000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE invites ADD COLUMN made_by_user boolean NOT NULL DEFAULT false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE invites DROP COLUMN made_by_user');
  }
}
