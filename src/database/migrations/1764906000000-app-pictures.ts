import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An app's logo for the dark theme, and its favicon. */
export class AppPictures1764906000000 implements MigrationInterface {
  name = 'AppPictures1764906000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps ADD COLUMN dark_logo_data text, ADD COLUMN favicon_data text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN dark_logo_data, DROP COLUMN favicon_data');
  }
}
