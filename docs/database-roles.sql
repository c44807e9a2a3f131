-- Two roles for one database: the owner of the tables runs the migrations, the service runs with less.
-- Run by the owner (the role in the DATABASE_URL of `node dist/migrate.js`), once, after the first migration:
--   psql "$OWNER_DATABASE_URL" -c "CREATE ROLE broker_service LOGIN PASSWORD '…'"      (as a role that may make roles)
--   psql "$OWNER_DATABASE_URL" -f docs/database-roles.sql
-- and again after each migration that says so in the changelog. Then give web and workers a DATABASE_URL of
-- broker_service. It owns nothing, so it can neither change the schema nor switch a trigger off.

GRANT USAGE ON SCHEMA public TO broker_service;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO broker_service;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO broker_service;
-- What later migrations make.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO broker_service;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO broker_service;

-- The audit log: written and sealed, never changed. Triggers refuse it too; a role without the right needs no trigger.
REVOKE UPDATE, DELETE ON audit_entries, audit_checkpoints FROM broker_service;
REVOKE DELETE ON audit_chains FROM broker_service;
GRANT UPDATE (seq, prev_hash, hash) ON audit_entries TO broker_service;

-- Read at the start; written by migrations only.
REVOKE INSERT, UPDATE, DELETE ON migrations FROM broker_service;
