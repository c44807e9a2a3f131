import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Workers take the jobs of each group in order. */
export class OutboxGroupsIndex1765101000000 implements MigrationInterface {
  name = 'OutboxGroupsIndex1765101000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_outbox_messages_group',
      on: 'outbox_messages (queue, group_key, available_at) WHERE done_at IS NULL AND dead_at IS NULL',
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_outbox_messages_group');
  }
}
