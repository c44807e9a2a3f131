import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the rows of the mail log while others write to it. */
export class MailsOverLimitValid1765390000001 implements MigrationInterface {
  name = 'MailsOverLimitValid1765390000001';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE mail_log VALIDATE CONSTRAINT ck_mail_log_state');
  }

  async down(): Promise<void> {}
}
