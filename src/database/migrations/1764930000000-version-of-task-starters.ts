import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A task ends when the account of its starter is no longer what it was when they started it. Null: started before. */
export class VersionOfTaskStarters1764930000000 implements MigrationInterface {
  name = 'VersionOfTaskStarters1764930000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE operator_tasks ADD COLUMN credentials_version integer');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE operator_tasks DROP COLUMN credentials_version');
  }
}
