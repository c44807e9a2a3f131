import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a sign-in to an app was last ended by an administrator, or for a theft: what the user had scheduled with sign-ins to this app before is not
 * made. A trigger says it, so that no path forgets to.
 */
export class EndedPlans1765096000000 implements MigrationInterface {
  name = 'EndedPlans1765096000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE ended_plans (
        user_id uuid NOT NULL,
        app_id uuid NOT NULL,
        ended_at timestamptz NOT NULL,
        CONSTRAINT pk_ended_plans PRIMARY KEY (user_id, app_id),
        CONSTRAINT fk_ended_plans_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_ended_plans_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );

      CREATE FUNCTION end_plans() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO ended_plans (user_id, app_id, ended_at)
          VALUES (NEW.user_id, NEW.app_id, date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')
          ON CONFLICT ON CONSTRAINT pk_ended_plans DO UPDATE SET ended_at = excluded.ended_at;
        RETURN NULL;
      END $$;
      CREATE TRIGGER tr_refresh_families_plans AFTER UPDATE OF revoked_for ON refresh_families
        FOR EACH ROW WHEN (OLD.revoked_for IS NULL AND NEW.revoked_for IN ('ended_by_admin', 'replay', 'code_reuse'))
        EXECUTE FUNCTION end_plans();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_refresh_families_plans ON refresh_families;
      DROP FUNCTION end_plans();
      DROP TABLE ended_plans;
    `);
  }
}
