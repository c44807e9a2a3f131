import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What users have allowed apps that are not their tenant's own. */
export class Consents1764971000000 implements MigrationInterface {
  name = 'Consents1764971000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE consents (
        user_id uuid NOT NULL,
        app_id uuid NOT NULL,
        resource text NOT NULL,
        scopes text[] NOT NULL,
        asked text[] NOT NULL,
        granted_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_consents PRIMARY KEY (user_id, app_id, resource),
        CONSTRAINT fk_consents_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_consents_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_consents_app ON consents (app_id);
    `);
    await db.query('ALTER TABLE apps ADD COLUMN metadata_url text');
    await db.query('ALTER TABLE apps ADD CONSTRAINT uq_apps_metadata_url UNIQUE (tenant_id, metadata_url)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN metadata_url');
    await db.query('DROP TABLE consents');
  }
}
