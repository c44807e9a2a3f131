import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose deletion failed do not delay the deletion of others. */
export class FailedDeletions1765410000000 implements MigrationInterface {
  name = 'FailedDeletions1765410000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN deletion_tried_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN deletion_tried_at');
  }
}
