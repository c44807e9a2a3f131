import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Successors of a used refresh token within the grace period of its app are limited. */
export class ReusedRefreshTokens1765430000000 implements MigrationInterface {
  name = 'ReusedRefreshTokens1765430000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE refresh_tokens ADD COLUMN reuses smallint NOT NULL DEFAULT 0');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE refresh_tokens DROP COLUMN reuses');
  }
}
