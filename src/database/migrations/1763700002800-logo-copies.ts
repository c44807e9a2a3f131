import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Our own copy of the picture at an app's logo address. Of the addresses that are there already workers fetch theirs. */
export class LogoCopies1763700002800 implements MigrationInterface {
  name = 'LogoCopies1763700002800';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps ADD COLUMN logo_copy text');
    await db.query(`
      INSERT INTO outbox_messages (id, job, payload, max_attempts)
      SELECT gen_random_uuid(), 'apps.copy_logo',
             jsonb_build_object('appId', id, 'address', branding ->> 'logo_url'), 5
      FROM apps WHERE branding ->> 'logo_url' IS NOT NULL
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query("DELETE FROM outbox_messages WHERE job = 'apps.copy_logo'");
    await db.query('ALTER TABLE apps DROP COLUMN logo_copy');
  }
}
