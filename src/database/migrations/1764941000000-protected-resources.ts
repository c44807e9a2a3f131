import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Protected resources of a tenant, and for which of them a sign-in is (RFC 8707). */
export class ProtectedResources1764941000000 implements MigrationInterface {
  name = 'ProtectedResources1764941000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE tenants ADD COLUMN resources jsonb NOT NULL DEFAULT '[]'`);
    await db.query('ALTER TABLE authorization_codes ADD COLUMN resource text');
    await db.query('ALTER TABLE device_authorizations ADD COLUMN resource text');
    await db.query('ALTER TABLE refresh_families ADD COLUMN resource text');
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['refresh_families', 'device_authorizations', 'authorization_codes'])
      await db.query(`ALTER TABLE ${table} DROP COLUMN resource`);
    await db.query('ALTER TABLE tenants DROP COLUMN resources');
  }
}
