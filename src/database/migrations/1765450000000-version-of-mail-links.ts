import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in links and reset links end with the credentials under which they were requested. Those of before have none. */
export class VersionOfMailLinks1765450000000 implements MigrationInterface {
  name = 'VersionOfMailLinks1765450000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE mail_links ADD COLUMN credentials_version integer');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE mail_links DROP COLUMN credentials_version');
  }
}
