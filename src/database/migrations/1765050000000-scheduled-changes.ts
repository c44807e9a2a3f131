import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes of settings that take effect later, and who has been told of them. */
export class ScheduledChanges1765050000000 implements MigrationInterface {
  name = 'ScheduledChanges1765050000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE scheduled_changes (
        id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        app_id uuid,
        change jsonb NOT NULL,
        effective_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'planned',
        credential text NOT NULL,
        planned_by uuid,
        planned_by_app uuid,
        audience uuid,
        amr text[] NOT NULL DEFAULT '{}',
        locks_planner_out boolean NOT NULL,
        locks_admins_out boolean NOT NULL,
        settings_then jsonb NOT NULL,
        prediction_then jsonb,
        prediction_now jsonb,
        result jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        settled_at timestamptz,
        announced_at timestamptz,
        reminded_at timestamptz,
        retracted_at timestamptz,
        CONSTRAINT pk_scheduled_changes PRIMARY KEY (id),
        CONSTRAINT fk_scheduled_changes_tenant FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE CASCADE,
        CONSTRAINT fk_scheduled_changes_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT fk_scheduled_changes_planned_by FOREIGN KEY (planned_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT fk_scheduled_changes_planned_by_app FOREIGN KEY (planned_by_app) REFERENCES apps (id) ON DELETE SET NULL,
        CONSTRAINT ck_scheduled_changes_state CHECK (state IN ('planned', 'executed', 'cancelled', 'failed')),
        CONSTRAINT ck_scheduled_changes_credential CHECK (credential IN ('console', 'user_token', 'service_token')),
        CONSTRAINT ck_scheduled_changes_settled CHECK ((settled_at IS NOT NULL) = (state <> 'planned'))
      );
      CREATE INDEX ix_scheduled_changes_tenant ON scheduled_changes (tenant_id, created_at);
      CREATE INDEX ix_scheduled_changes_app ON scheduled_changes (app_id);
      CREATE INDEX ix_scheduled_changes_planned_by ON scheduled_changes (planned_by);
      CREATE INDEX ix_scheduled_changes_planned_by_app ON scheduled_changes (planned_by_app);
      CREATE INDEX ix_scheduled_changes_planned ON scheduled_changes (effective_at) WHERE state = 'planned';
      CREATE INDEX ix_scheduled_changes_settled ON scheduled_changes (settled_at);
    `);
    await db.query(`
      CREATE TABLE scheduled_change_notices (
        change_id uuid NOT NULL,
        user_id uuid NOT NULL,
        moment text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_scheduled_change_notices PRIMARY KEY (change_id, user_id, moment),
        CONSTRAINT fk_scheduled_change_notices_change FOREIGN KEY (change_id) REFERENCES scheduled_changes (id) ON DELETE CASCADE,
        CONSTRAINT fk_scheduled_change_notices_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_scheduled_change_notices_moment CHECK (moment IN ('announced', 'reminded', 'retracted'))
      );
      CREATE INDEX ix_scheduled_change_notices_user ON scheduled_change_notices (user_id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE scheduled_change_notices');
    await db.query('DROP TABLE scheduled_changes');
  }
}
