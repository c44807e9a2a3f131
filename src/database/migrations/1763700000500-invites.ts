import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Invites: codes with which users join an app. */
export class Invites1763700000500 implements MigrationInterface {
  name = 'Invites1763700000500';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE invites (
        id uuid NOT NULL,
        app_id uuid NOT NULL,
        code_hash bytea NOT NULL,
        code_sealed text NOT NULL,
        mailed_code_hash bytea,
        roles text[] NOT NULL,
        max_uses integer NOT NULL,
        use_count integer NOT NULL DEFAULT 0,
        email text,
        email_canonical text,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_invites PRIMARY KEY (id),
        CONSTRAINT uq_invites_code UNIQUE (code_hash),
        CONSTRAINT uq_invites_mailed_code UNIQUE (mailed_code_hash),
        CONSTRAINT fk_invites_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT fk_invites_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT ck_invites_uses CHECK (use_count >= 0 AND use_count <= max_uses),
        CONSTRAINT ck_invites_mailed CHECK (
          (email IS NULL) = (email_canonical IS NULL) AND (email IS NULL) = (mailed_code_hash IS NULL)
        )
      );
      CREATE INDEX ix_invites_app ON invites (app_id, created_at, id);
      CREATE INDEX ix_invites_created_by ON invites (created_by);
      CREATE INDEX ix_invites_expires ON invites (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE invites');
  }
}
