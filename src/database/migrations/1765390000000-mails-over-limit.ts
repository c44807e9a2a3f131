import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The mail log also has mails that were not sent because of a limit. The next migration validates the constraint. */
export class MailsOverLimit1765390000000 implements MigrationInterface {
  name = 'MailsOverLimit1765390000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE mail_log
        DROP CONSTRAINT ck_mail_log_state,
        ADD CONSTRAINT ck_mail_log_state
          CHECK (state IN ('queued', 'sent', 'bounced', 'given_up', 'over_limit')) NOT VALID`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`UPDATE mail_log SET state = 'given_up' WHERE state = 'over_limit'`);
    await db.query(`
      ALTER TABLE mail_log
        DROP CONSTRAINT ck_mail_log_state,
        ADD CONSTRAINT ck_mail_log_state CHECK (state IN ('queued', 'sent', 'bounced', 'given_up')) NOT VALID`);
  }
}
