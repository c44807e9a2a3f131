import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The language of a user, and the default of a tenant: language tags (BCP 47); null says nothing. */
export class Languages1764200000000 implements MigrationInterface {
  name = 'Languages1764200000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN locale text');
    await db.query('ALTER TABLE tenants ADD COLUMN default_locale text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants DROP COLUMN default_locale');
    await db.query('ALTER TABLE users DROP COLUMN locale');
  }
}
