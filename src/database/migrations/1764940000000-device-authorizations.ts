import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices that wait for a user to allow their sign-in (RFC 8628). */
export class DeviceAuthorizations1764940000000 implements MigrationInterface {
  name = 'DeviceAuthorizations1764940000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE device_authorizations (
        id uuid NOT NULL,
        device_code_hash bytea NOT NULL,
        user_code_hash bytea NOT NULL,
        user_code_sealed text NOT NULL,
        app_id uuid NOT NULL,
        scope text,
        ip_address text,
        user_agent text,
        interval_seconds integer NOT NULL,
        polled_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        denied_at timestamptz,
        approved_at timestamptz,
        user_id uuid,
        credentials_version integer,
        auth_time timestamptz,
        amr text[],
        sid uuid,
        used_at timestamptz,
        CONSTRAINT pk_device_authorizations PRIMARY KEY (id),
        CONSTRAINT uq_device_authorizations_device_code UNIQUE (device_code_hash),
        CONSTRAINT uq_device_authorizations_user_code UNIQUE (user_code_hash),
        CONSTRAINT fk_device_authorizations_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT fk_device_authorizations_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_device_authorizations_expires ON device_authorizations (expires_at);
      CREATE INDEX ix_device_authorizations_user ON device_authorizations (user_id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE device_authorizations');
  }
}
