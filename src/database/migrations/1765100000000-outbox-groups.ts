import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whose work a job is: groups take turns. The default is for the service itself, for the jobs that wait now, and for versions that
 * do not know groups yet.
 */
export class OutboxGroups1765100000000 implements MigrationInterface {
  name = 'OutboxGroups1765100000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE outbox_messages ADD COLUMN group_key text NOT NULL DEFAULT ''`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE outbox_messages DROP COLUMN group_key');
  }
}
