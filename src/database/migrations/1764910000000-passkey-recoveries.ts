import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How long users who have lost all their passkeys wait before they go on without, at a tenant that demands two factors, and
 * who waits. Null: not without an administrator, as before.
 */
export class PasskeyRecoveries1764910000000 implements MigrationInterface {
  name = 'PasskeyRecoveries1764910000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants ADD COLUMN passkey_recovery_days integer');
    await db.query(`
      CREATE TABLE passkey_recoveries (
        user_id uuid NOT NULL,
        stop_hash bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_passkey_recoveries PRIMARY KEY (user_id),
        CONSTRAINT uq_passkey_recoveries_stop UNIQUE (stop_hash),
        CONSTRAINT fk_passkey_recoveries_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE passkey_recoveries');
    await db.query('ALTER TABLE tenants DROP COLUMN passkey_recovery_days');
  }
}
