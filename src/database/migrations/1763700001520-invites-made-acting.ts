import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The operator who created an invite during impersonation, and cannot redeem it. Nullable and without a default: nothing
 * is rewritten, and a process of the previous version can still write rows without it.
 */
export class InvitesMadeActing1763700001520 implements MigrationInterface {
  name = 'InvitesMadeActing1763700001520';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE invites ADD COLUMN made_acting_by uuid,
        ADD CONSTRAINT fk_invites_made_acting_by FOREIGN KEY (made_acting_by) REFERENCES users (id) ON DELETE SET NULL;
      CREATE INDEX ix_invites_made_acting_by ON invites (made_acting_by) WHERE made_acting_by IS NOT NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE invites DROP COLUMN made_acting_by');
  }
}
