import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Captured mails of the embedded mode, and the one-time links that mails carry. */
export class MailsAndLinks1763700000300 implements MigrationInterface {
  name = 'MailsAndLinks1763700000300';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE captured_mails (
        id uuid NOT NULL,
        "to" text NOT NULL,
        "from" text NOT NULL,
        subject text NOT NULL,
        text text NOT NULL,
        html text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_captured_mails PRIMARY KEY (id)
      );
      CREATE INDEX ix_captured_mails_created ON captured_mails (created_at);

      CREATE TABLE mail_links (
        token_hash bytea NOT NULL,
        purpose text NOT NULL,
        user_id uuid NOT NULL,
        app_id uuid,
        email_canonical text NOT NULL,
        request jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT pk_mail_links PRIMARY KEY (token_hash),
        CONSTRAINT fk_mail_links_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_mail_links_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT ck_mail_links_purpose CHECK (purpose IN ('verify_email', 'reset_password', 'magic_link'))
      );
      CREATE INDEX ix_mail_links_user ON mail_links (user_id, purpose);
      CREATE INDEX ix_mail_links_expires ON mail_links (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE mail_links, captured_mails');
  }
}
