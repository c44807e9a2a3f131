import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** First attempts come before retries; an answer ends the silence of other devices of the same server (docs/decisions/0097). */
export class FirstAttemptsIndexes1765290000000 implements MigrationInterface {
  name = 'FirstAttemptsIndexes1765290000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_notification_deliveries_first',
      on: `notification_deliveries (app_id, next_attempt_at) WHERE status = 'queued' AND attempts = 0`,
    });
    await createIndexConcurrently(db, {
      name: 'ix_push_devices_silent',
      on: 'push_devices (app_id, silent_host, silent_until) WHERE silent_until IS NOT NULL',
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_push_devices_silent');
    await dropIndexConcurrently(db, 'ix_notification_deliveries_first');
  }
}
