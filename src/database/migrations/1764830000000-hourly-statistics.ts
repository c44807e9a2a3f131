import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Numbers by hour, for charts of the last 24 hours. */
export class HourlyStatistics1764830000000 implements MigrationInterface {
  name = 'HourlyStatistics1764830000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE hourly_statistics (
        scope_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        measure text NOT NULL,
        count integer NOT NULL,
        CONSTRAINT pk_hourly_statistics PRIMARY KEY (scope_id, hour, measure),
        CONSTRAINT ck_hourly_statistics_count CHECK (count >= 0)
      );
      CREATE INDEX ix_hourly_statistics_hour ON hourly_statistics (hour);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE hourly_statistics');
  }
}
