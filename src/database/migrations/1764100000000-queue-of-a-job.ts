import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One queue for each kind of work. The default is for versions that do not know queues yet, and for the jobs that wait
 * now: `tasks` runs jobs of every kind.
 */
export class QueueOfAJob1764100000000 implements MigrationInterface {
  name = 'QueueOfAJob1764100000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE outbox_messages ADD COLUMN queue text NOT NULL DEFAULT 'tasks'`);
    await db.query(`CREATE INDEX ix_outbox_messages_queue ON outbox_messages (queue, available_at)
      WHERE done_at IS NULL AND dead_at IS NULL`);
    await db.query('DROP INDEX ix_outbox_messages_pending');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`CREATE INDEX ix_outbox_messages_pending ON outbox_messages (available_at)
      WHERE done_at IS NULL AND dead_at IS NULL`);
    await db.query('DROP INDEX ix_outbox_messages_queue');
    await db.query('ALTER TABLE outbox_messages DROP COLUMN queue');
  }
}
