import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A batch that cannot be written waits for its next attempt, and those after it do not (docs/decisions/0087). */
export class BatchAttempts1765110000000 implements MigrationInterface {
  name = 'BatchAttempts1765110000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE notification_batches
        ADD COLUMN attempts int NOT NULL DEFAULT 0, -- how often a worker has begun to write it
        ADD COLUMN next_attempt_at timestamptz NOT NULL DEFAULT now();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE notification_batches DROP COLUMN attempts, DROP COLUMN next_attempt_at');
  }
}
