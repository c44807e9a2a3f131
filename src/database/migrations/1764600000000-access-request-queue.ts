import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What users write with a request for access, while they wait; the queue of all requests, longest waiting first; and
 * when an app's administrators are mailed about it.
 *
 * The trigger removes the message once the request is decided, whichever path decides it, also in a process of the
 * version before. Messages of requests that wait now are in the audit log.
 */
export class AccessRequestQueue1764600000000 implements MigrationInterface {
  name = 'AccessRequestQueue1764600000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE enrollments ADD COLUMN request_message text;

      CREATE FUNCTION forget_request_message() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.request_message := NULL;
        RETURN NEW;
      END $$;
      CREATE TRIGGER tr_enrollments_request_message BEFORE INSERT OR UPDATE OF status, request_message ON enrollments
        FOR EACH ROW WHEN (NEW.status <> 'pending' AND NEW.request_message IS NOT NULL)
        EXECUTE FUNCTION forget_request_message();

      UPDATE enrollments e SET request_message = asked.message
      FROM (
        SELECT DISTINCT ON (a.user_id, a.app_id) a.user_id, a.app_id, a.metadata ->> 'message' AS message
        FROM audit_entries a
        WHERE a.action = 'enrollment.pending'
        ORDER BY a.user_id, a.app_id, a.created_at DESC, a.id DESC
      ) AS asked
      WHERE e.status = 'pending' AND asked.user_id = e.user_id AND asked.app_id = e.app_id AND asked.message IS NOT NULL;

      CREATE INDEX ix_enrollments_pending ON enrollments (created_at, app_id, user_id) WHERE status = 'pending';
      CREATE INDEX ix_enrollments_tenant_pending ON enrollments (tenant_id, created_at, app_id, user_id)
        WHERE status = 'pending';
      CREATE INDEX ix_enrollments_app_pending ON enrollments (app_id, created_at, user_id) WHERE status = 'pending';

      CREATE TABLE request_notices (
        app_id uuid NOT NULL,
        window_began_at timestamptz NOT NULL DEFAULT now(),
        mailed integer NOT NULL DEFAULT 0,
        digest_due_at timestamptz,
        CONSTRAINT pk_request_notices PRIMARY KEY (app_id),
        CONSTRAINT fk_request_notices_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
        CONSTRAINT ck_request_notices_mailed CHECK (mailed >= 0)
      );
      CREATE INDEX ix_request_notices_due ON request_notices (digest_due_at) WHERE digest_due_at IS NOT NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE request_notices;
      DROP INDEX ix_enrollments_app_pending, ix_enrollments_tenant_pending, ix_enrollments_pending;
      DROP TRIGGER tr_enrollments_request_message ON enrollments;
      DROP FUNCTION forget_request_message();
      ALTER TABLE enrollments DROP COLUMN request_message;
    `);
  }
}
