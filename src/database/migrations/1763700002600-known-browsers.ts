import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The browsers in which a user has signed in; any other one is new. Only hashes of what identifies a browser. */
export class KnownBrowsers1763700002600 implements MigrationInterface {
  name = 'KnownBrowsers1763700002600';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE known_browsers (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        mark bytea NOT NULL,
        user_agent text NOT NULL,
        network text NOT NULL,
        first_seen_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        told_at timestamptz,
        CONSTRAINT pk_known_browsers PRIMARY KEY (id),
        CONSTRAINT uq_known_browsers_mark UNIQUE (user_id, mark),
        CONSTRAINT fk_known_browsers_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_known_browsers_last_seen ON known_browsers (last_seen_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE known_browsers');
  }
}
