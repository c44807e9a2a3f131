import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Passkeys of users (WebAuthn credentials), the random handle by which authenticators know a user, and the challenges
 * that wait for an answer. Separate tables: a process of the previous version does not read them.
 */
export class Passkeys1764870000000 implements MigrationInterface {
  name = 'Passkeys1764870000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE passkey_handles (
        user_id uuid NOT NULL,
        handle bytea NOT NULL,
        CONSTRAINT pk_passkey_handles PRIMARY KEY (user_id),
        CONSTRAINT uq_passkey_handles_handle UNIQUE (handle),
        CONSTRAINT fk_passkey_handles_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );

      CREATE TABLE passkeys (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        rp_id text NOT NULL,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        aaguid uuid NOT NULL,
        transports text[] NOT NULL,
        is_synced boolean NOT NULL,
        is_backed_up boolean NOT NULL,
        name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        CONSTRAINT pk_passkeys PRIMARY KEY (id),
        CONSTRAINT uq_passkeys_credential UNIQUE (credential_id),
        CONSTRAINT fk_passkeys_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_passkeys_sign_count CHECK (sign_count >= 0)
      );
      CREATE INDEX ix_passkeys_user ON passkeys (user_id);

      CREATE TABLE passkey_challenges (
        challenge bytea NOT NULL,
        bound_to text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_passkey_challenges PRIMARY KEY (challenge)
      );
      CREATE INDEX ix_passkey_challenges_expires ON passkey_challenges (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE passkey_challenges, passkeys, passkey_handles');
  }
}
