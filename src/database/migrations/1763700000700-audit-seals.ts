import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log's chains and signed checkpoints, and the indexes that keep lists of users as fast as the log's. */
export class AuditSeals1763700000700 implements MigrationInterface {
  name = 'AuditSeals1763700000700';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of [ENTRIES, CHAINS, CHECKPOINTS, ENROLLMENTS, SUBSTRINGS]) await db.query(statement);
  }

  /** Keeps the extension, which others may use. Seals are lost; the next `up` creates them again. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP INDEX IF EXISTS ix_users_email_trigrams;
      DROP TRIGGER tr_users_created_at ON users;
      DROP TRIGGER tr_apps_tenant ON apps;
      DROP TRIGGER tr_enrollments_copies ON enrollments;
      DROP INDEX ix_enrollments_tenant_people, ix_enrollments_app_people;
      ALTER TABLE enrollments DROP COLUMN tenant_id, DROP COLUMN user_created_at;
      DROP TABLE audit_checkpoints, audit_chains;
      DROP FUNCTION keep_audit_checkpoints(), keep_audit_chains(), copy_into_enrollment(),
        follow_user_created_at(), follow_app_tenant();
      ALTER TABLE audit_entries DISABLE TRIGGER USER;
      ALTER TABLE audit_entries DROP CONSTRAINT ck_audit_entries_seal;
      UPDATE audit_entries SET seq = NULL, prev_hash = NULL, hash = NULL WHERE seq IS NOT NULL;
      ALTER TABLE audit_entries ENABLE TRIGGER USER;
      DROP INDEX ix_audit_entries_unsealed, uq_audit_entries_seq_no_tenant;
      ALTER TABLE audit_entries DROP COLUMN ordinal;
      ALTER TABLE audit_entries ALTER COLUMN created_at TYPE timestamptz;
    `);
  }
}

/** Times in milliseconds, as in the API, so that a reader of an entry can compute its hash. */
const ENTRIES = `
  CREATE SEQUENCE audit_entry_ordinals AS bigint;
  ALTER TABLE audit_entries
    ALTER COLUMN created_at TYPE timestamptz(3),
    ADD COLUMN ordinal bigint NOT NULL DEFAULT nextval('audit_entry_ordinals'),
    ADD CONSTRAINT ck_audit_entries_seal CHECK (
      (seq IS NULL AND prev_hash IS NULL AND hash IS NULL)
      OR (seq > 0 AND num_nulls(prev_hash, hash) = 0 AND octet_length(prev_hash) = 32 AND octet_length(hash) = 32));
  ALTER SEQUENCE audit_entry_ordinals OWNED BY audit_entries.ordinal;
  CREATE INDEX ix_audit_entries_unsealed ON audit_entries (ordinal) WHERE seq IS NULL;
  CREATE UNIQUE INDEX uq_audit_entries_seq_no_tenant ON audit_entries (seq) WHERE tenant_id IS NULL;
`;

const CHAINS = `
  CREATE TABLE audit_chains (
    id uuid NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    last_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    sealed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_audit_chains PRIMARY KEY (id),
    CONSTRAINT ck_audit_chains_head CHECK (last_seq >= 0 AND octet_length(last_hash) = 32)
  );

  -- A chain only ever grows.
  CREATE FUNCTION keep_audit_chains() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW.id = OLD.id AND NEW.last_seq > OLD.last_seq THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit chains only ever grow' USING ERRCODE = 'insufficient_privilege';
  END $$;
  CREATE TRIGGER tr_audit_chains_keep BEFORE UPDATE OR DELETE ON audit_chains
    FOR EACH ROW EXECUTE FUNCTION keep_audit_chains();
  CREATE TRIGGER tr_audit_chains_keep_all BEFORE TRUNCATE ON audit_chains
    FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_chains();
`;

const CHECKPOINTS = `
  CREATE TABLE audit_checkpoints (
    chain_id uuid NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    kid text NOT NULL,
    jws text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_audit_checkpoints PRIMARY KEY (chain_id, seq)
  );

  CREATE FUNCTION keep_audit_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'audit checkpoints are only ever appended' USING ERRCODE = 'insufficient_privilege';
  END $$;
  CREATE TRIGGER tr_audit_checkpoints_keep BEFORE UPDATE OR DELETE ON audit_checkpoints
    FOR EACH ROW EXECUTE FUNCTION keep_audit_checkpoints();
  CREATE TRIGGER tr_audit_checkpoints_keep_all BEFORE TRUNCATE ON audit_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_checkpoints();
`;

/**
 * Copies of values that never change, so that one index has the users of a tenant (or an app) in the order of the list.
 * A trigger writes them, so statements that insert an enrollment need not. Foreign keys refuse a missing user or app.
 */
const ENROLLMENTS = `
  ALTER TABLE enrollments ADD COLUMN tenant_id uuid, ADD COLUMN user_created_at timestamptz;
  UPDATE enrollments e SET tenant_id = a.tenant_id, user_created_at = u.created_at
    FROM apps a, users u WHERE a.id = e.app_id AND u.id = e.user_id;

  CREATE FUNCTION copy_into_enrollment() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.tenant_id := (SELECT tenant_id FROM apps WHERE id = NEW.app_id);
    NEW.user_created_at := (SELECT created_at FROM users WHERE id = NEW.user_id);
    RETURN NEW;
  END $$;
  CREATE TRIGGER tr_enrollments_copies BEFORE INSERT OR UPDATE OF user_id, app_id, tenant_id, user_created_at ON enrollments
    FOR EACH ROW EXECUTE FUNCTION copy_into_enrollment();

  -- The service never changes these, but an operator with a database client might.
  CREATE FUNCTION follow_user_created_at() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE enrollments SET user_created_at = NEW.created_at WHERE user_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_users_created_at AFTER UPDATE OF created_at ON users
    FOR EACH ROW WHEN (OLD.created_at <> NEW.created_at) EXECUTE FUNCTION follow_user_created_at();
  CREATE FUNCTION follow_app_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE enrollments SET tenant_id = NEW.tenant_id WHERE app_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_apps_tenant AFTER UPDATE OF tenant_id ON apps
    FOR EACH ROW WHEN (OLD.tenant_id <> NEW.tenant_id) EXECUTE FUNCTION follow_app_tenant();

  CREATE INDEX ix_enrollments_tenant_people ON enrollments (tenant_id, user_created_at, user_id);
  CREATE INDEX ix_enrollments_app_people ON enrollments (app_id, user_created_at, user_id);
`;

/** Parts of addresses are found by trigrams where the server has them; without them the search reads more rows. */
const SUBSTRINGS = `
  DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm cannot be installed: %', SQLERRM;
  END $$;
  DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)) THEN
      CREATE INDEX ix_users_email_trigrams ON users USING gin (email_canonical gin_trgm_ops);
    END IF;
  END $$;
`;
