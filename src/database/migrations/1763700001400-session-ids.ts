import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The id of a browser's session, which stays the same after a second sign-in there (`sid` of OpenID Connect Back-Channel
 * Logout), in the session and in all that began in it. Nullable and without a default: nothing is rewritten, and a
 * process of the previous version can still write rows without it.
 */
export class SessionIds1763700001400 implements MigrationInterface {
  name = 'SessionIds1763700001400';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE sso_sessions ADD COLUMN sid uuid');
    await db.query('ALTER TABLE sign_in_attempts ADD COLUMN sid uuid');
    await db.query('ALTER TABLE authorization_codes ADD COLUMN sid uuid');
    await db.query('ALTER TABLE refresh_families ADD COLUMN sid uuid');
    await db.query(`
      UPDATE apps SET config = config || '{"backchannel_logout_uri": null}' WHERE NOT config ? 'backchannel_logout_uri'
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`UPDATE apps SET config = config - 'backchannel_logout_uri'`);
    await db.query('ALTER TABLE refresh_families DROP COLUMN sid');
    await db.query('ALTER TABLE authorization_codes DROP COLUMN sid');
    await db.query('ALTER TABLE sign_in_attempts DROP COLUMN sid');
    await db.query('ALTER TABLE sso_sessions DROP COLUMN sid');
  }
}
