import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes now cache whether the address of a user is verified, so a change of it notifies all of them. */
export class ProvenAddressesTold1763700002210 implements MigrationInterface {
  name = 'ProvenAddressesTold1763700002210';

  async up(db: QueryRunner): Promise<void> {
    await replaceTrigger(db, 'is_active, is_platform_admin, tokens_valid_from, email_verified');
  }

  async down(db: QueryRunner): Promise<void> {
    await replaceTrigger(db, 'is_active, is_platform_admin, tokens_valid_from');
  }
}

async function replaceTrigger(db: QueryRunner, columns: string): Promise<void> {
  await db.query(`
    DROP TRIGGER tr_users_notify ON users;
    CREATE TRIGGER tr_users_notify AFTER UPDATE OF ${columns} OR DELETE ON users
      FOR EACH ROW EXECUTE FUNCTION notify_people('id');
  `);
}
