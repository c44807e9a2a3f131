import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which network a client was registered: the one with the most makes room first. */
export class RegistrationNetwork1765040000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE client_registrations ADD COLUMN network text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE client_registrations DROP COLUMN network');
  }
}
