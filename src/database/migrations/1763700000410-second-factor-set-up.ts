import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In which sign-in an unconfirmed secret was shown. */
export class SecondFactorSetUp1763700000410 implements MigrationInterface {
  name = 'SecondFactorSetUp1763700000410';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE second_factors ADD COLUMN begun_in text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE second_factors DROP COLUMN begun_in');
  }
}
