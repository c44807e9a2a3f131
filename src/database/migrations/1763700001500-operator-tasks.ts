import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Longer work that operators start in the console, and whom it concerns. */
export class OperatorTasks1763700001500 implements MigrationInterface {
  name = 'OperatorTasks1763700001500';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE operator_tasks (
        id uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL,
        started_by uuid NOT NULL,
        amr text[] NOT NULL,
        acting_as jsonb,
        acting_until timestamptz,
        request_id text NOT NULL,
        ip_address text,
        user_agent text,
        tenant_id uuid,
        app_id uuid,
        details jsonb NOT NULL,
        sealed_document text,
        sealed_secrets text,
        total integer NOT NULL,
        done integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        problem text,
        outcome jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_operator_tasks PRIMARY KEY (id),
        CONSTRAINT ck_operator_tasks_status CHECK (status IN ('planned', 'queued', 'running', 'done', 'failed')),
        CONSTRAINT ck_operator_tasks_finished CHECK ((finished_at IS NOT NULL) = (status IN ('done', 'failed'))),
        CONSTRAINT ck_operator_tasks_document CHECK (sealed_document IS NULL OR finished_at IS NULL),
        CONSTRAINT ck_operator_tasks_acting CHECK ((acting_as IS NULL) = (acting_until IS NULL)),
        CONSTRAINT fk_operator_tasks_started_by FOREIGN KEY (started_by) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_operator_tasks_tenant FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE CASCADE,
        CONSTRAINT fk_operator_tasks_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_operator_tasks_started_by ON operator_tasks (started_by, created_at);
      CREATE INDEX ix_operator_tasks_created ON operator_tasks (created_at);
      CREATE INDEX ix_operator_tasks_expires ON operator_tasks (expires_at);
      CREATE INDEX ix_operator_tasks_tenant ON operator_tasks (tenant_id);
      CREATE INDEX ix_operator_tasks_app ON operator_tasks (app_id);

      CREATE TABLE operator_task_people (
        task_id uuid NOT NULL,
        user_id uuid NOT NULL,
        position integer NOT NULL,
        state text NOT NULL DEFAULT 'waiting',
        problem text,
        CONSTRAINT pk_operator_task_people PRIMARY KEY (task_id, user_id),
        CONSTRAINT ck_operator_task_people_state CHECK (state IN ('waiting', 'done', 'failed')),
        CONSTRAINT fk_operator_task_people_task FOREIGN KEY (task_id) REFERENCES operator_tasks (id) ON DELETE CASCADE,
        CONSTRAINT fk_operator_task_people_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_operator_task_people_state ON operator_task_people (task_id, state, position);
      CREATE INDEX ix_operator_task_people_user ON operator_task_people (user_id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE operator_task_people');
    await db.query('DROP TABLE operator_tasks');
  }
}
