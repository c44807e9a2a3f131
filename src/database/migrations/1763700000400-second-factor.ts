import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors with their backup codes, sign-ins that wait for one, and until when an attempt's identity counts. */
export class SecondFactor1763700000400 implements MigrationInterface {
  name = 'SecondFactor1763700000400';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE users ADD COLUMN totp_enabled_at timestamptz;
      ALTER TABLE sign_in_attempts ADD COLUMN identified_at timestamptz NOT NULL DEFAULT now();

      CREATE TABLE second_factors (
        user_id uuid NOT NULL,
        sealed_secret text NOT NULL,
        last_step bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        confirmed_at timestamptz,
        CONSTRAINT pk_second_factors PRIMARY KEY (user_id),
        CONSTRAINT fk_second_factors_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );

      CREATE TABLE backup_codes (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        salt bytea NOT NULL,
        code_hash bytea NOT NULL,
        used_at timestamptz,
        CONSTRAINT pk_backup_codes PRIMARY KEY (id),
        CONSTRAINT fk_backup_codes_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_backup_codes_user ON backup_codes (user_id);

      CREATE TABLE totp_challenges (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        app_id uuid NOT NULL,
        device_id text,
        auth_time timestamptz NOT NULL,
        amr text[] NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT pk_totp_challenges PRIMARY KEY (id),
        CONSTRAINT fk_totp_challenges_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_totp_challenges_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_totp_challenges_expires ON totp_challenges (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE totp_challenges, backup_codes, second_factors;
      ALTER TABLE sign_in_attempts DROP COLUMN identified_at;
      ALTER TABLE users DROP COLUMN totp_enabled_at;
    `);
  }
}
