import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `$.type() == "object"
  && $.primary_color.type() == "string" && $.logo_height.type() == "number"
  && ($.logo_url == null || $.logo_url.type() == "string")
  && (!exists($.tos_uri) || $.tos_uri == null || $.tos_uri.type() == "string")
  && (!exists($.policy_uri) || $.policy_uri == null || $.policy_uri.type() == "string")`;

/** Link of an app to where its users find help, within `branding`. */
export class SupportLink1764841000000 implements MigrationInterface {
  name = 'SupportLink1764841000000';

  async up(db: QueryRunner): Promise<void> {
    await replace(
      db,
      `${BEFORE}
  && (!exists($.support_uri) || $.support_uri == null || $.support_uri.type() == "string")`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await replace(db, BEFORE);
  }
}

function replace(db: QueryRunner, path: string): Promise<unknown> {
  const check = `coalesce(jsonb_path_match(branding, '${path}', silent => true), false)`;
  return db.query(
    `ALTER TABLE apps DROP CONSTRAINT ck_apps_branding, ADD CONSTRAINT ck_apps_branding CHECK (${check})`,
  );
}
