import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The links "Secure my account" in mails about a new passkey, authenticator app, backup codes or linked account. A
 * separate table: a process of the previous version sends no such links.
 */
export class CredentialNotices1764915000000 implements MigrationInterface {
  name = 'CredentialNotices1764915000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE credential_notices (
        stop_hash bytea NOT NULL,
        user_id uuid NOT NULL,
        email text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_credential_notices PRIMARY KEY (stop_hash),
        CONSTRAINT fk_credential_notices_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_credential_notices_user ON credential_notices (user_id);
      CREATE INDEX ix_credential_notices_expires ON credential_notices (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE credential_notices');
  }
}
