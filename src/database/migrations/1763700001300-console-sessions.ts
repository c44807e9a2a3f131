import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The operators' sessions in the console, each with what it acts as at the moment. */
export class ConsoleSessions1763700001300 implements MigrationInterface {
  name = 'ConsoleSessions1763700001300';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE console_sessions (
        id uuid NOT NULL,
        token_hash bytea NOT NULL,
        user_id uuid NOT NULL,
        sso_session_id uuid,
        amr text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        flash jsonb,
        impersonated_type text,
        impersonated_id uuid,
        impersonated_name text,
        impersonation_reason text,
        impersonation_until timestamptz,
        CONSTRAINT pk_console_sessions PRIMARY KEY (id),
        CONSTRAINT uq_console_sessions_token UNIQUE (token_hash),
        CONSTRAINT ck_console_sessions_impersonation CHECK (
          num_nulls(impersonated_type, impersonated_id, impersonated_name, impersonation_reason, impersonation_until) IN (0, 5)
          AND (impersonated_type IS NULL OR impersonated_type IN ('tenant', 'app'))),
        CONSTRAINT fk_console_sessions_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_console_sessions_sso_session FOREIGN KEY (sso_session_id) REFERENCES sso_sessions (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_console_sessions_user ON console_sessions (user_id);
      CREATE INDEX ix_console_sessions_sso_session ON console_sessions (sso_session_id);
      CREATE INDEX ix_console_sessions_expires ON console_sessions (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE console_sessions');
  }
}
