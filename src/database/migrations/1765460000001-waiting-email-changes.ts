import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** A user has one open change of the address, and any number of cancelled ones. */
export class WaitingEmailChanges1765460000001 implements MigrationInterface {
  name = 'WaitingEmailChanges1765460000001';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'uq_email_changes_waiting',
      on: 'email_changes (user_id) WHERE completed_at IS NULL AND cancelled_at IS NULL',
      isUnique: true,
    });
    await createIndexConcurrently(db, {
      name: 'uq_email_changes_cancelled_stop',
      on: 'email_changes (cancelled_stop_hash)',
      isUnique: true,
    });
    await dropIndexConcurrently(db, 'uq_email_changes_open');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DELETE FROM email_changes WHERE cancelled_at IS NOT NULL');
    await createIndexConcurrently(db, {
      name: 'uq_email_changes_open',
      on: 'email_changes (user_id) WHERE completed_at IS NULL',
      isUnique: true,
    });
    await dropIndexConcurrently(db, 'uq_email_changes_cancelled_stop');
    await dropIndexConcurrently(db, 'uq_email_changes_waiting');
  }
}
