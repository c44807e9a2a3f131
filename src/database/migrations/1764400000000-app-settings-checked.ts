import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Members that may be missing are filled with defaults when they are read. */
const CONFIG = `coalesce(jsonb_path_match(config, '$.type() == "object"
  && $.allowed_providers.type() == "array" && !exists($.allowed_providers[*].type() ? (@ != "string"))
  && $.redirect_uris.type() == "array" && !exists($.redirect_uris[*].type() ? (@ != "string"))
  && $.post_logout_redirect_uris.type() == "array" && !exists($.post_logout_redirect_uris[*].type() ? (@ != "string"))
  && $.available_roles.type() == "array" && !exists($.available_roles[*].type() ? (@ != "string"))
  && $.auto_assign_roles.type() == "array" && !exists($.auto_assign_roles[*].type() ? (@ != "string"))
  && $.token_lifetime_minutes.type() == "number" && $.refresh_lifetime_days.type() == "number"
  && $.require_2fa.type() == "boolean"
  && (!exists($.backchannel_logout_uri) || $.backchannel_logout_uri == null || $.backchannel_logout_uri.type() == "string")
  && (!exists($.refresh_grace_seconds) || $.refresh_grace_seconds.type() == "number")
  && (!exists($.client_type) || $.client_type == null || $.client_type.type() == "string")
  && (!exists($.require_pkce) || $.require_pkce.type() == "boolean")
  && (!exists($.require_verified_email) || $.require_verified_email.type() == "boolean")', silent => true), false)`;

const BRANDING = `coalesce(jsonb_path_match(branding, '$.type() == "object"
  && $.primary_color.type() == "string" && $.logo_height.type() == "number"
  && ($.logo_url == null || $.logo_url.type() == "string")', silent => true), false)`;

/** The database refuses settings of an app that the service could not read: one broken app stops every list of apps. */
export class AppSettingsChecked1764400000000 implements MigrationInterface {
  name = 'AppSettingsChecked1764400000000';

  async up(db: QueryRunner): Promise<void> {
    const broken = (await db.query(`SELECT id FROM apps WHERE NOT (${CONFIG} AND ${BRANDING})`)) as { id: string }[];
    if (broken.length > 0) {
      const ids = broken.map(({ id }) => id).join(', ');
      throw new Error(`Correct "config" and "branding" of these rows of the table "apps", then migrate again: ${ids}`);
    }
    await db.query(`
      ALTER TABLE apps
        ADD CONSTRAINT ck_apps_config CHECK (${CONFIG}),
        ADD CONSTRAINT ck_apps_branding CHECK (${BRANDING})
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP CONSTRAINT ck_apps_config, DROP CONSTRAINT ck_apps_branding');
  }
}
