import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What every process remembers of a person now holds whether their address is proven: a change of it is told to all. */
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
