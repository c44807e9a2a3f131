import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A cancelled change of the address is kept, so that the link in the mail about it still works. Its hash moves to a column
 * of its own, which processes of the previous version do not read.
 */
export class CancelledEmailChanges1765460000000 implements MigrationInterface {
  name = 'CancelledEmailChanges1765460000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'ALTER TABLE email_changes ADD COLUMN cancelled_at timestamptz, ADD COLUMN cancelled_stop_hash bytea',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE email_changes DROP COLUMN cancelled_at, DROP COLUMN cancelled_stop_hash');
  }
}
