import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Changes of an e-mail address by its owner: asked for, confirmed with a code from the new mailbox, and for some days
 * undone from the old one. A table of its own: a process of the version before does not look at it.
 */
export class EmailChanges1764850000000 implements MigrationInterface {
  name = 'EmailChanges1764850000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE email_changes (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        old_email text NOT NULL,
        new_email text NOT NULL,
        code_hash bytea NOT NULL,
        tries integer NOT NULL DEFAULT 0,
        credentials_version integer NOT NULL,
        stop_hash bytea,
        undo_hash bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        completed_at timestamptz,
        stoppable_until timestamptz NOT NULL,
        CONSTRAINT pk_email_changes PRIMARY KEY (id),
        CONSTRAINT uq_email_changes_stop UNIQUE (stop_hash),
        CONSTRAINT uq_email_changes_undo UNIQUE (undo_hash),
        CONSTRAINT fk_email_changes_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_email_changes_tries CHECK (tries >= 0)
      );
      CREATE INDEX ix_email_changes_user ON email_changes (user_id);
      CREATE UNIQUE INDEX uq_email_changes_open ON email_changes (user_id) WHERE completed_at IS NULL;
      CREATE INDEX ix_email_changes_stoppable ON email_changes (stoppable_until);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE email_changes');
  }
}
