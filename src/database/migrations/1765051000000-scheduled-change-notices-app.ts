import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In the name of which app a user was told. No row had been written before. */
export class ScheduledChangeNoticesApp1765051000000 implements MigrationInterface {
  name = 'ScheduledChangeNoticesApp1765051000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE scheduled_change_notices ADD COLUMN app_id uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE scheduled_change_notices DROP COLUMN app_id');
  }
}
