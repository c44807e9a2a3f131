import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A device whose push service does not answer is put aside (docs/decisions/0097). */
export class SilentPushDevices1765280000000 implements MigrationInterface {
  name = 'SilentPushDevices1765280000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE push_devices
        ADD COLUMN unanswered int NOT NULL DEFAULT 0, -- attempts in a row without an answer
        ADD COLUMN silent_until timestamptz, -- not tried before; null: it answers
        ADD COLUMN silent_host text; -- the server that did not answer last
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'ALTER TABLE push_devices DROP COLUMN unanswered, DROP COLUMN silent_until, DROP COLUMN silent_host',
    );
  }
}
