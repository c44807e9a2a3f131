import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Devices that were not seen for long are removed every hour. */
export class UnseenPushDevicesIndex1765140000000 implements MigrationInterface {
  name = 'UnseenPushDevicesIndex1765140000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, { name: 'ix_push_devices_last_seen', on: 'push_devices (last_seen_at)' });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_push_devices_last_seen');
  }
}
