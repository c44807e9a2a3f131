import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** The few accounts that wait for their deletion are found without reading all. */
export class DueDeletions1764881000000 implements MigrationInterface {
  name = 'DueDeletions1764881000000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_users_deletion_due',
      on: 'users (deletion_due_at) WHERE deletion_due_at IS NOT NULL',
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_users_deletion_due');
  }
}
