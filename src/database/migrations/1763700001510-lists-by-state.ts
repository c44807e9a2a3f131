import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of users by status: common statuses have an index that begins with the status, like rare ones. */
export class ListsByState1763700001510 implements MigrationInterface {
  name = 'ListsByState1763700001510';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX ix_enrollments_status ON enrollments (status, user_created_at, user_id);
      CREATE INDEX ix_enrollments_tenant_status ON enrollments (tenant_id, status, user_created_at, user_id);
      CREATE INDEX ix_enrollments_app_status ON enrollments (app_id, status, user_created_at, user_id);
      DROP INDEX ix_enrollments_apart, ix_enrollments_tenant_apart, ix_enrollments_app_apart;
      CREATE INDEX ix_users_off ON users (created_at, id) WHERE NOT is_active;
      CREATE INDEX ix_users_platform_admins ON users (created_at, id) WHERE is_platform_admin;
      CREATE INDEX ix_users_verified ON users (created_at, id) WHERE email_verified;
      CREATE INDEX ix_users_unverified ON users (created_at, id) WHERE NOT email_verified;
      CREATE INDEX ix_users_second_factor ON users (created_at, id) WHERE totp_enabled_at IS NOT NULL;
      CREATE INDEX ix_users_no_password ON users (created_at, id) WHERE password_hash IS NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP INDEX ix_users_off, ix_users_platform_admins, ix_users_verified, ix_users_unverified, ix_users_second_factor,
        ix_users_no_password;
      CREATE INDEX ix_enrollments_apart ON enrollments (user_created_at, user_id) WHERE status <> 'active';
      CREATE INDEX ix_enrollments_tenant_apart ON enrollments (tenant_id, user_created_at, user_id) WHERE status <> 'active';
      CREATE INDEX ix_enrollments_app_apart ON enrollments (app_id, user_created_at, user_id) WHERE status <> 'active';
      DROP INDEX ix_enrollments_status, ix_enrollments_tenant_status, ix_enrollments_app_status;
    `);
  }
}
