import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Changes whose effect on users was predicted, and what has become of these users since. A later change of one of the same settings
 * ends the comparison, whatever writes it.
 */
export class ChangeComparisons1765060000000 implements MigrationInterface {
  name = 'ChangeComparisons1765060000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE change_comparisons (
        audit_entry_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        app_id uuid, -- null: a change of the tenant
        changed_at timestamptz NOT NULL DEFAULT now(),
        prediction jsonb NOT NULL,
        knows_all boolean NOT NULL, -- whether the operator could know what users have elsewhere
        settings text[] NOT NULL, -- what has changed: columns of the tenant; is_active and members of config of the app
        sides jsonb, -- these settings before and after, until the users are written down
        found jsonb, -- users by effect, as they were written down
        after_day jsonb,
        after_week jsonb,
        changed_again_at timestamptz,
        CONSTRAINT pk_change_comparisons PRIMARY KEY (audit_entry_id),
        CONSTRAINT fk_change_comparisons_tenant FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE CASCADE,
        CONSTRAINT fk_change_comparisons_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_change_comparisons_tenant ON change_comparisons (tenant_id, changed_at);
      CREATE INDEX ix_change_comparisons_app ON change_comparisons (app_id, changed_at);

      CREATE TABLE change_comparison_people (
        audit_entry_id uuid NOT NULL,
        app_id uuid NOT NULL,
        user_id uuid NOT NULL,
        effect text NOT NULL,
        CONSTRAINT pk_change_comparison_people PRIMARY KEY (audit_entry_id, app_id, user_id),
        CONSTRAINT fk_change_comparison_people_comparison FOREIGN KEY (audit_entry_id)
          REFERENCES change_comparisons (audit_entry_id) ON DELETE CASCADE,
        CONSTRAINT fk_change_comparison_people_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT fk_change_comparison_people_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_change_comparison_people_app ON change_comparison_people (app_id);
      CREATE INDEX ix_change_comparison_people_user ON change_comparison_people (user_id);

      CREATE FUNCTION end_comparisons_of_app() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE change_comparisons c SET changed_again_at = now()
          WHERE c.app_id = NEW.id AND c.changed_again_at IS NULL AND c.after_week IS NULL
            AND (('is_active' = ANY (c.settings) AND OLD.is_active <> NEW.is_active)
              OR EXISTS (SELECT 1 FROM unnest(c.settings) s WHERE OLD.config -> s IS DISTINCT FROM NEW.config -> s));
        RETURN NULL;
      END $$;
      CREATE TRIGGER tr_apps_comparisons AFTER UPDATE OF config, is_active ON apps
        FOR EACH ROW EXECUTE FUNCTION end_comparisons_of_app();

      CREATE FUNCTION end_comparisons_of_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE change_comparisons c SET changed_again_at = now()
          WHERE c.tenant_id = NEW.id AND c.app_id IS NULL AND c.changed_again_at IS NULL AND c.after_week IS NULL
            AND EXISTS (SELECT 1 FROM unnest(c.settings) s
              WHERE to_jsonb(OLD) -> s IS DISTINCT FROM to_jsonb(NEW) -> s);
        RETURN NULL;
      END $$;
      CREATE TRIGGER tr_tenants_comparisons AFTER UPDATE ON tenants
        FOR EACH ROW EXECUTE FUNCTION end_comparisons_of_tenant();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_tenants_comparisons ON tenants;
      DROP TRIGGER tr_apps_comparisons ON apps;
      DROP FUNCTION end_comparisons_of_tenant();
      DROP FUNCTION end_comparisons_of_app();
      DROP TABLE change_comparison_people;
      DROP TABLE change_comparisons;
    `);
  }
}
