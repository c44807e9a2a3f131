import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apps that authenticate with keys of their own: who has set them, and assertions that were used (RFC 7523). */
export class ClientKeys1764935000000 implements MigrationInterface {
  name = 'ClientKeys1764935000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps ADD COLUMN keys_set_by_app_admin boolean NOT NULL DEFAULT false');
    await db.query(`
      CREATE TABLE spent_proofs (
        proof_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_spent_proofs PRIMARY KEY (proof_hash)
      );
      CREATE INDEX ix_spent_proofs_expires ON spent_proofs (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE spent_proofs');
    await db.query('ALTER TABLE apps DROP COLUMN keys_set_by_app_admin');
  }
}
