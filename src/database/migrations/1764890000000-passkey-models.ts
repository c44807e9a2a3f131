import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The models of authenticators that a tenant accepts; null: every one. A process of the version before does not ask. */
export class PasskeyModels1764890000000 implements MigrationInterface {
  name = 'PasskeyModels1764890000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants ADD COLUMN passkey_aaguids text[]');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants DROP COLUMN passkey_aaguids');
  }
}
