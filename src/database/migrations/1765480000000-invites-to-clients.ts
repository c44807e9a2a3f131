import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Revokes invites to self-registered clients. Earlier versions made them, and redemption refuses them. */
export class InvitesToClients1765480000000 implements MigrationInterface {
  name = 'InvitesToClients1765480000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      UPDATE invites i SET max_uses = use_count FROM apps a
      WHERE a.id = i.app_id AND a.origin <> 'operator' AND i.use_count < i.max_uses`);
  }

  /** Revoked invites stay revoked. */
  async down(): Promise<void> {}
}
