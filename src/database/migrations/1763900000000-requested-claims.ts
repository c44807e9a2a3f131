import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a sign-in asked for by the parameter `claims` (OpenID Connect Core 5.5), kept with the code and its tokens. */
export class RequestedClaims1763900000000 implements MigrationInterface {
  name = 'RequestedClaims1763900000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE authorization_codes ADD COLUMN claims jsonb');
    await db.query('ALTER TABLE refresh_families ADD COLUMN claims jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE refresh_families DROP COLUMN claims');
    await db.query('ALTER TABLE authorization_codes DROP COLUMN claims');
  }
}
