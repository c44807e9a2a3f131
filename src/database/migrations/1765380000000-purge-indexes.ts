import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Old notifications and webhook messages are deleted every hour, in batches. */
export class PurgeIndexes1765380000000 implements MigrationInterface {
  name = 'PurgeIndexes1765380000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_notifications_completed',
      on: 'notifications (completed_at) WHERE completed_at IS NOT NULL',
    });
    await createIndexConcurrently(db, {
      name: 'ix_webhook_messages_queued',
      on: `webhook_messages (next_attempt_at) WHERE status = 'queued'`,
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_webhook_messages_queued');
    await dropIndexConcurrently(db, 'ix_notifications_completed');
  }
}
