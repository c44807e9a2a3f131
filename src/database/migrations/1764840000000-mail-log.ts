import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The mail log: who was mailed what kind of mail, and what became of it; never a body or a link.
 *
 * The triggers keep the outcome in step with the job, whichever statement ends it, also in a process of the version
 * before. Mails that were queued by that version are not in the log.
 */
export class MailLog1764840000000 implements MigrationInterface {
  name = 'MailLog1764840000000';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of [TABLE, INDEXES, RECORD, TRIGGERS]) await db.query(statement);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_outbox_messages_mail ON outbox_messages;
      DROP TRIGGER tr_outbox_messages_mail_removed ON outbox_messages;
      DROP FUNCTION record_mail_outcome();
      DROP TABLE mail_log;
    `);
  }
}

const TABLE = `
  CREATE TABLE mail_log (
    id uuid NOT NULL,
    template text NOT NULL,
    recipient text NOT NULL,
    user_id uuid,
    app_id uuid,
    tenant_id uuid,
    invite_id uuid,
    state text NOT NULL DEFAULT 'queued',
    smtp_status integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    CONSTRAINT pk_mail_log PRIMARY KEY (id),
    CONSTRAINT fk_mail_log_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT fk_mail_log_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT fk_mail_log_invite FOREIGN KEY (invite_id) REFERENCES invites (id) ON DELETE CASCADE,
    CONSTRAINT ck_mail_log_state CHECK (state IN ('queued', 'sent', 'bounced', 'given_up'))
  )
`;

const INDEXES = `
  CREATE INDEX ix_mail_log_created ON mail_log (created_at, id);
  CREATE INDEX ix_mail_log_unsent ON mail_log (state, created_at, id) WHERE state <> 'sent';
  CREATE INDEX ix_mail_log_tenant ON mail_log (tenant_id, created_at, id) WHERE tenant_id IS NOT NULL;
  CREATE INDEX ix_mail_log_app ON mail_log (app_id, created_at, id) WHERE app_id IS NOT NULL;
  CREATE INDEX ix_mail_log_user ON mail_log (user_id, created_at, id) WHERE user_id IS NOT NULL;
  CREATE INDEX ix_mail_log_invite ON mail_log (invite_id) WHERE invite_id IS NOT NULL;
  CREATE INDEX ix_mail_log_recipient ON mail_log (lower(recipient), created_at, id);
`;

/** A job that is removed before its end, as after a restore, has been given up. */
const RECORD = `
  CREATE FUNCTION record_mail_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE mail_log SET state = 'given_up', ended_at = now() WHERE id = OLD.id;
    ELSIF NEW.done_at IS NOT NULL THEN
      UPDATE mail_log SET state = 'sent', smtp_status = NULL, ended_at = NEW.done_at WHERE id = NEW.id;
    ELSIF NEW.dead_at IS NOT NULL THEN
      UPDATE mail_log SET state = CASE WHEN smtp_status IS NULL THEN 'given_up' ELSE 'bounced' END,
        ended_at = NEW.dead_at WHERE id = NEW.id;
    ELSE
      UPDATE mail_log SET state = 'queued', smtp_status = NULL, ended_at = NULL WHERE id = NEW.id;
    END IF;
    RETURN NULL;
  END $$
`;

const TRIGGERS = `
  CREATE TRIGGER tr_outbox_messages_mail AFTER UPDATE OF done_at, dead_at ON outbox_messages
    FOR EACH ROW WHEN (NEW.job = 'mail.send'
      AND (OLD.done_at IS DISTINCT FROM NEW.done_at OR OLD.dead_at IS DISTINCT FROM NEW.dead_at))
    EXECUTE FUNCTION record_mail_outcome();
  CREATE TRIGGER tr_outbox_messages_mail_removed AFTER DELETE ON outbox_messages
    FOR EACH ROW WHEN (OLD.job = 'mail.send' AND OLD.done_at IS NULL AND OLD.dead_at IS NULL)
    EXECUTE FUNCTION record_mail_outcome();
`;
