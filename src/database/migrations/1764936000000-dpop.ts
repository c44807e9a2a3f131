import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Codes and refresh tokens that are bound to a key of their client (RFC 9449). */
export class Dpop1764936000000 implements MigrationInterface {
  name = 'Dpop1764936000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE authorization_codes ADD COLUMN dpop_jkt text');
    await db.query('ALTER TABLE refresh_families ADD COLUMN dpop_jkt text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE refresh_families DROP COLUMN dpop_jkt');
    await db.query('ALTER TABLE authorization_codes DROP COLUMN dpop_jkt');
  }
}
