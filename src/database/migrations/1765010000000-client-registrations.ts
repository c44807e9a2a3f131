import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients that have registered themselves by a request (RFC 7591), before and in addition to their apps in tenants. */
export class ClientRegistrations1765010000000 implements MigrationInterface {
  name = 'ClientRegistrations1765010000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants ADD COLUMN client_registration boolean NOT NULL DEFAULT false');
    await db.query(`
      CREATE TABLE client_registrations (
        id uuid NOT NULL,
        redirect_uris text[] NOT NULL,
        client_name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_client_registrations PRIMARY KEY (id)
      );
      CREATE INDEX ix_client_registrations_expires ON client_registrations (expires_at);
    `);
    await db.query(`
      ALTER TABLE apps
        ADD COLUMN registration_id uuid,
        ADD COLUMN claimed_name text,
        ADD CONSTRAINT fk_apps_registration FOREIGN KEY (registration_id) REFERENCES client_registrations (id),
        ADD CONSTRAINT uq_apps_registration UNIQUE (tenant_id, registration_id),
        ADD CONSTRAINT ck_apps_registration CHECK (
          (origin = 'dynamic_registration') = (registration_id IS NOT NULL)
          AND (claimed_name IS NULL OR origin = 'dynamic_registration'))
    `);
    await db.query(`CREATE INDEX ix_apps_registration ON apps (registration_id) WHERE registration_id IS NOT NULL`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN claimed_name, DROP COLUMN registration_id');
    await db.query('DROP TABLE client_registrations');
    await db.query('ALTER TABLE tenants DROP COLUMN client_registration');
  }
}
