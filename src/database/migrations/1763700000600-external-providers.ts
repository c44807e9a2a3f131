import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts at external providers: those that open an account of ours, and sign-ins with one that are under way. */
export class ExternalProviders1763700000600 implements MigrationInterface {
  name = 'ExternalProviders1763700000600';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE linked_accounts (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        provider text NOT NULL,
        subject text NOT NULL,
        email text,
        linked_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_linked_accounts PRIMARY KEY (id),
        CONSTRAINT fk_linked_accounts_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT uq_linked_accounts_identity UNIQUE (provider, subject)
      );
      CREATE INDEX ix_linked_accounts_user ON linked_accounts (user_id);

      CREATE TABLE provider_states (
        state_hash bytea NOT NULL,
        provider text NOT NULL,
        browser_hash bytea NOT NULL,
        attempt_id uuid,
        link_user_id uuid,
        from_page boolean NOT NULL,
        sealed text NOT NULL,
        posted_name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_provider_states PRIMARY KEY (state_hash),
        CONSTRAINT fk_provider_states_attempt FOREIGN KEY (attempt_id) REFERENCES sign_in_attempts (id) ON DELETE CASCADE,
        CONSTRAINT fk_provider_states_link_user FOREIGN KEY (link_user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_provider_states_purpose CHECK ((attempt_id IS NULL) <> (link_user_id IS NULL))
      );
      CREATE INDEX ix_provider_states_expires ON provider_states (expires_at);
      CREATE INDEX ix_provider_states_attempt ON provider_states (attempt_id);
      CREATE INDEX ix_provider_states_link_user ON provider_states (link_user_id);

      CREATE TABLE pending_identities (
        token_hash bytea NOT NULL,
        browser_hash bytea NOT NULL,
        attempt_id uuid NOT NULL,
        provider text NOT NULL,
        subject text NOT NULL,
        email text NOT NULL,
        email_verified boolean NOT NULL,
        display_name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_pending_identities PRIMARY KEY (token_hash),
        CONSTRAINT fk_pending_identities_attempt FOREIGN KEY (attempt_id) REFERENCES sign_in_attempts (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_pending_identities_expires ON pending_identities (expires_at);
      CREATE INDEX ix_pending_identities_attempt ON pending_identities (attempt_id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE pending_identities, provider_states, linked_accounts');
  }
}
