import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Administrators filter the webhook messages and notifications of an app by status, also by a rare one. */
export class PushListsIndexes1765440000000 implements MigrationInterface {
  name = 'PushListsIndexes1765440000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_webhook_messages_status',
      on: 'webhook_messages (app_id, status, created_at, id)',
    });
    await createIndexConcurrently(db, {
      name: 'ix_notifications_status',
      on: 'notifications (app_id, status, created_at, id)',
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_notifications_status');
    await dropIndexConcurrently(db, 'ix_webhook_messages_status');
  }
}
