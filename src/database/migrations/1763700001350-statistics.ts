import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Numbers by day for the charts, and indexes for the console's lists: who waits or is suspended is rare. */
export class Statistics1763700001350 implements MigrationInterface {
  name = 'Statistics1763700001350';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE daily_statistics (
        scope_id uuid NOT NULL,
        day date NOT NULL,
        measure text NOT NULL,
        count integer NOT NULL,
        CONSTRAINT pk_daily_statistics PRIMARY KEY (scope_id, day, measure),
        CONSTRAINT ck_daily_statistics_count CHECK (count >= 0)
      );
      CREATE INDEX ix_refresh_tokens_issued ON refresh_tokens USING brin (issued_at);
      CREATE INDEX ix_enrollments_apart ON enrollments (user_created_at, user_id) WHERE status <> 'active';
      CREATE INDEX ix_enrollments_tenant_apart ON enrollments (tenant_id, user_created_at, user_id) WHERE status <> 'active';
      CREATE INDEX ix_enrollments_app_apart ON enrollments (app_id, user_created_at, user_id) WHERE status <> 'active';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP INDEX ix_enrollments_apart, ix_enrollments_tenant_apart, ix_enrollments_app_apart, ix_refresh_tokens_issued;
      DROP TABLE daily_statistics;
    `);
  }
}
