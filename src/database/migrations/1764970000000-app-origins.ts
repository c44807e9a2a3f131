import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A client that registered itself has no Console, no working secret, and no roles, scopes or push of its own. */
const HAS_NOTHING = `NOT is_console_app AND NOT push_enabled AND service_scopes = '{}'
  AND coalesce(config ->> 'client_type' IN ('public', 'native'), false)
  AND coalesce(config ->> 'token_endpoint_auth_method', 'none') = 'none'
  AND coalesce(config ->> 'backchannel_logout_uri', '') = ''
  AND config -> 'available_roles' = '["user"]' AND config -> 'auto_assign_roles' = '["user"]'
  AND coalesce(config -> 'android_apps', '[]') = '[]' AND coalesce(config -> 'apple_app_ids', '[]') = '[]'`;

/** How an app was created. A self-registered client has nothing that only an operator gives to an app. */
export class AppOrigins1764970000000 implements MigrationInterface {
  name = 'AppOrigins1764970000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE apps ADD COLUMN origin text NOT NULL DEFAULT 'operator'`);
    await db.query(`
      ALTER TABLE apps
        ADD CONSTRAINT ck_apps_origin CHECK (origin IN ('operator', 'metadata_document', 'dynamic_registration')),
        ADD CONSTRAINT ck_apps_self_registered CHECK (origin = 'operator' OR (${HAS_NOTHING}))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN origin');
  }
}
