import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The transactional outbox. */
export class Outbox1763700000200 implements MigrationInterface {
  name = 'Outbox1763700000200';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE outbox_messages (
        id uuid NOT NULL,
        job text NOT NULL,
        payload jsonb NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        max_attempts integer NOT NULL,
        available_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        locked_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        done_at timestamptz,
        dead_at timestamptz,
        last_error text,
        CONSTRAINT pk_outbox_messages PRIMARY KEY (id),
        CONSTRAINT ck_outbox_messages_attempts CHECK (attempts >= 0 AND max_attempts >= 1),
        CONSTRAINT ck_outbox_messages_outcome CHECK (done_at IS NULL OR dead_at IS NULL)
      );
      CREATE INDEX ix_outbox_messages_pending ON outbox_messages (available_at) WHERE done_at IS NULL AND dead_at IS NULL;
      CREATE INDEX ix_outbox_messages_done ON outbox_messages (done_at) WHERE done_at IS NOT NULL;
      CREATE INDEX ix_outbox_messages_dead ON outbox_messages (dead_at, id) WHERE dead_at IS NOT NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE outbox_messages');
  }
}
