import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was accepted for many users in one request, until its notifications are written (docs/decisions/0087). */
export class NotificationBatches1765090000000 implements MigrationInterface {
  name = 'NotificationBatches1765090000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE notification_batches (
        id uuid NOT NULL, -- ids of its notifications differ in the last three digits
        app_id uuid NOT NULL,
        user_ids uuid[] NOT NULL,
        messages jsonb NOT NULL, -- one for all users, or one for each
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_notification_batches PRIMARY KEY (id),
        CONSTRAINT fk_notification_batches_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_notification_batches_app ON notification_batches (app_id, id);
      -- Random bytes: trying to compress them costs time and saves nothing.
      ALTER TABLE notification_batches ALTER COLUMN user_ids SET STORAGE EXTERNAL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE notification_batches');
  }
}
