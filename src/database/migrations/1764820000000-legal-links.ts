import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `$.type() == "object"
  && $.primary_color.type() == "string" && $.logo_height.type() == "number"
  && ($.logo_url == null || $.logo_url.type() == "string")`;

const branding = (path: string) => `coalesce(jsonb_path_match(branding, '${path}', silent => true), false)`;

/** Links of an app to its terms of service and its privacy policy, within `branding`. */
export class LegalLinks1764820000000 implements MigrationInterface {
  name = 'LegalLinks1764820000000';

  async up(db: QueryRunner): Promise<void> {
    const after = `${BEFORE}
  && (!exists($.tos_uri) || $.tos_uri == null || $.tos_uri.type() == "string")
  && (!exists($.policy_uri) || $.policy_uri == null || $.policy_uri.type() == "string")`;
    await replace(db, branding(after));
  }

  async down(db: QueryRunner): Promise<void> {
    await replace(db, branding(BEFORE));
  }
}

function replace(db: QueryRunner, check: string): Promise<unknown> {
  return db.query(
    `ALTER TABLE apps DROP CONSTRAINT ck_apps_branding, ADD CONSTRAINT ck_apps_branding CHECK (${check})`,
  );
}
