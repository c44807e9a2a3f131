import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a user was last signed out from elsewhere: what they had scheduled before is not made. Nullable: never, or before this version. */
export class PlansValidFrom1765052000000 implements MigrationInterface {
  name = 'PlansValidFrom1765052000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN plans_valid_from timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN plans_valid_from');
  }
}
