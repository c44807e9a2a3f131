import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Remembers removals, so that an access token from before one does not come back to life with a new enrollment. */
export class EndedEnrollments1763700001000 implements MigrationInterface {
  name = 'EndedEnrollments1763700001000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE ended_enrollments (
        user_id uuid NOT NULL,
        app_id uuid NOT NULL,
        ended_at timestamptz NOT NULL,
        CONSTRAINT pk_ended_enrollments PRIMARY KEY (user_id, app_id),
        CONSTRAINT fk_ended_enrollments_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_ended_enrollments_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE ended_enrollments');
  }
}
