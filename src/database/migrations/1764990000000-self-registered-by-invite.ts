import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users join a client that has registered itself by their consent, and it makes no accounts: its policy is `invite`. */
export class SelfRegisteredByInvite1764990000000 implements MigrationInterface {
  name = 'SelfRegisteredByInvite1764990000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`UPDATE apps SET registration_policy = 'invite' WHERE origin <> 'operator'`);
    await db.query(`
      ALTER TABLE apps ADD CONSTRAINT ck_apps_self_registered_policy
        CHECK (origin = 'operator' OR registration_policy = 'invite')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP CONSTRAINT ck_apps_self_registered_policy');
  }
}
