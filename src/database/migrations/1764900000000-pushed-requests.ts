import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pushed authorization requests (RFC 9126), for the minute until the browser brings their reference. */
export class PushedRequests1764900000000 implements MigrationInterface {
  name = 'PushedRequests1764900000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE pushed_requests (
        reference_hash bytea NOT NULL,
        app_id uuid NOT NULL,
        parameters jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_pushed_requests PRIMARY KEY (reference_hash),
        CONSTRAINT fk_pushed_requests_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_pushed_requests_expires ON pushed_requests (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE pushed_requests');
  }
}
