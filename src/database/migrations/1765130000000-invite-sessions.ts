import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A second factor asked for after the code of a mailed invite begins no SSO session (docs/decisions/0085). */
export class InviteSessions1765130000000 implements MigrationInterface {
  name = 'InviteSessions1765130000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE totp_challenges ADD COLUMN begins_no_session boolean NOT NULL DEFAULT false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE totp_challenges DROP COLUMN begins_no_session');
  }
}
