import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants, apps, users, enrollments, audit, tokens and sign-in; the platform tenant with its Console app. */
export class Foundation1763700000100 implements MigrationInterface {
  name = 'Foundation1763700000100';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of [TENANTS_AND_APPS, USERS, AUDIT, TOKENS, SIGN_IN, NOTIFICATIONS, PLATFORM]) {
      await db.query(statement);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE first_admin_links, sign_in_attempts, sso_sessions, authorization_codes, refresh_tokens,
        refresh_families, signing_keys, audit_entries, enrollments, users, apps, tenants CASCADE;
      DROP FUNCTION notify_cache(), notify_people(), keep_audit_entries();
    `);
  }
}

const TENANTS_AND_APPS = `
  CREATE TABLE tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    is_platform boolean NOT NULL DEFAULT false,
    min_password_length integer NOT NULL DEFAULT 8,
    weak_passwords text NOT NULL DEFAULT 'warn',
    require_2fa boolean NOT NULL DEFAULT false,
    support_email text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_tenants PRIMARY KEY (id),
    CONSTRAINT uq_tenants_slug UNIQUE (slug),
    CONSTRAINT ck_tenants_min_password_length CHECK (min_password_length BETWEEN 8 AND 64)
  );
  CREATE UNIQUE INDEX uq_tenants_platform ON tenants (is_platform) WHERE is_platform;

  CREATE TABLE apps (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    bundle_id text NOT NULL,
    registration_policy text NOT NULL DEFAULT 'invite',
    is_active boolean NOT NULL DEFAULT true,
    off_with_tenant boolean NOT NULL DEFAULT false,
    is_console_app boolean NOT NULL DEFAULT false,
    client_secret_hash bytea NOT NULL,
    service_scopes text[] NOT NULL,
    config jsonb NOT NULL,
    branding jsonb NOT NULL,
    logo_data text,
    push_enabled boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_apps PRIMARY KEY (id),
    CONSTRAINT uq_apps_bundle_id UNIQUE (bundle_id),
    CONSTRAINT fk_apps_tenant FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE RESTRICT,
    CONSTRAINT ck_apps_registration_policy CHECK (registration_policy IN ('open', 'approval', 'invite'))
  );
  CREATE INDEX ix_apps_tenant ON apps (tenant_id, created_at);
  CREATE UNIQUE INDEX uq_apps_console ON apps (tenant_id) WHERE is_console_app;
`;

const USERS = `
  CREATE TABLE users (
    id uuid NOT NULL,
    email text NOT NULL,
    email_canonical text NOT NULL,
    display_name text NOT NULL,
    email_verified boolean NOT NULL DEFAULT false,
    password_hash text,
    is_active boolean NOT NULL DEFAULT true,
    is_platform_admin boolean NOT NULL DEFAULT false,
    tokens_valid_from timestamptz NOT NULL DEFAULT '-infinity',
    last_login_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_users PRIMARY KEY (id),
    CONSTRAINT uq_users_email UNIQUE (email_canonical)
  );
  CREATE INDEX ix_users_created ON users (created_at, id);
  CREATE INDEX ix_users_email_prefix ON users (email_canonical text_pattern_ops);

  CREATE TABLE enrollments (
    user_id uuid NOT NULL,
    app_id uuid NOT NULL,
    roles text[] NOT NULL,
    status text NOT NULL,
    tokens_valid_from timestamptz NOT NULL DEFAULT '-infinity',
    last_login_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_enrollments PRIMARY KEY (user_id, app_id),
    CONSTRAINT fk_enrollments_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT fk_enrollments_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT ck_enrollments_status CHECK (status IN ('pending', 'active', 'suspended')),
    CONSTRAINT ck_enrollments_role_user CHECK ('user' = ANY (roles))
  );
  CREATE INDEX ix_enrollments_app ON enrollments (app_id, created_at, user_id);
`;

const AUDIT = `
  CREATE TABLE audit_entries (
    id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    action text NOT NULL,
    outcome text NOT NULL DEFAULT 'success',
    actor_type text NOT NULL,
    actor_id text,
    actor_email text,
    acting_as jsonb,
    user_id uuid,
    tenant_id uuid,
    app_id uuid,
    target_type text,
    target_id text,
    ip_address text,
    user_agent text,
    request_id text,
    metadata jsonb NOT NULL DEFAULT '{}',
    seq bigint,
    prev_hash bytea,
    hash bytea,
    CONSTRAINT pk_audit_entries PRIMARY KEY (id),
    CONSTRAINT uq_audit_entries_seq UNIQUE (tenant_id, seq),
    CONSTRAINT ck_audit_entries_outcome CHECK (outcome IN ('success', 'failure', 'denied'))
  );
  CREATE INDEX ix_audit_entries_created ON audit_entries (created_at, id);
  CREATE INDEX ix_audit_entries_tenant ON audit_entries (tenant_id, created_at, id);
  CREATE INDEX ix_audit_entries_app ON audit_entries (app_id, created_at, id);
  CREATE INDEX ix_audit_entries_user ON audit_entries (user_id, created_at, id);
  CREATE INDEX ix_audit_entries_action ON audit_entries (action, created_at, id);

  -- Append-only: the one change allowed is the sealer filling seq and the hashes of an unsealed entry.
  CREATE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND OLD.seq IS NULL AND NEW.seq IS NOT NULL
       AND to_jsonb(NEW) - 'seq' - 'prev_hash' - 'hash' = to_jsonb(OLD) - 'seq' - 'prev_hash' - 'hash' THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit entries are only ever appended' USING ERRCODE = 'insufficient_privilege';
  END $$;
  CREATE TRIGGER tr_audit_entries_keep BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION keep_audit_entries();
  CREATE TRIGGER tr_audit_entries_keep_all BEFORE TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entries();
`;

const TOKENS = `
  CREATE TABLE signing_keys (
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    activates_at timestamptz NOT NULL,
    retires_at timestamptz,
    CONSTRAINT pk_signing_keys PRIMARY KEY (kid)
  );

  CREATE TABLE refresh_families (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    app_id uuid NOT NULL,
    device_id text,
    scope text,
    auth_time timestamptz NOT NULL,
    amr text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_for text,
    CONSTRAINT pk_refresh_families PRIMARY KEY (id),
    CONSTRAINT fk_refresh_families_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT fk_refresh_families_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_refresh_families_user_app ON refresh_families (user_id, app_id);
  CREATE INDEX ix_refresh_families_expires ON refresh_families (expires_at);

  -- fillfactor: setting rotated_at stays on the page (HOT), no index is touched.
  CREATE TABLE refresh_tokens (
    token_hash bytea NOT NULL,
    family_id uuid NOT NULL,
    issued_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    rotated_at timestamptz,
    CONSTRAINT pk_refresh_tokens PRIMARY KEY (token_hash)
  ) WITH (fillfactor = 80);
  CREATE INDEX ix_refresh_tokens_expires ON refresh_tokens USING brin (expires_at);

  CREATE TABLE authorization_codes (
    code_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    app_id uuid NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text,
    device_id text,
    scope text,
    nonce text,
    auth_time timestamptz NOT NULL,
    amr text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    family_id uuid,
    CONSTRAINT pk_authorization_codes PRIMARY KEY (code_hash),
    CONSTRAINT fk_authorization_codes_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT fk_authorization_codes_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_authorization_codes_expires ON authorization_codes (expires_at);
`;

const SIGN_IN = `
  CREATE TABLE sso_sessions (
    id uuid NOT NULL,
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    auth_time timestamptz NOT NULL,
    amr text[] NOT NULL,
    ip_address text,
    user_agent text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT pk_sso_sessions PRIMARY KEY (id),
    CONSTRAINT uq_sso_sessions_token UNIQUE (token_hash),
    CONSTRAINT fk_sso_sessions_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_sso_sessions_user ON sso_sessions (user_id);
  CREATE INDEX ix_sso_sessions_expires ON sso_sessions (expires_at);

  CREATE TABLE sign_in_attempts (
    id uuid NOT NULL,
    browser_hash bytea NOT NULL,
    app_id uuid NOT NULL,
    request jsonb NOT NULL,
    user_id uuid,
    auth_time timestamptz,
    amr text[] NOT NULL DEFAULT '{}',
    via_sso boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    finished_at timestamptz,
    CONSTRAINT pk_sign_in_attempts PRIMARY KEY (id),
    CONSTRAINT fk_sign_in_attempts_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT fk_sign_in_attempts_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_sign_in_attempts_expires ON sign_in_attempts (expires_at);

  CREATE TABLE first_admin_links (
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT pk_first_admin_links PRIMARY KEY (token_hash)
  );
`;

/** Every process caches apps, tenants and keys; whatever changes them, by whatever path, says so on commit. */
const NOTIFICATIONS = `
  CREATE FUNCTION notify_cache() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('cache', TG_TABLE_NAME);
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_tenants_notify AFTER INSERT OR UPDATE OR DELETE ON tenants
    FOR EACH STATEMENT EXECUTE FUNCTION notify_cache();
  CREATE TRIGGER tr_apps_notify AFTER INSERT OR UPDATE OR DELETE ON apps
    FOR EACH STATEMENT EXECUTE FUNCTION notify_cache();
  CREATE TRIGGER tr_signing_keys_notify AFTER INSERT OR UPDATE OR DELETE ON signing_keys
    FOR EACH STATEMENT EXECUTE FUNCTION notify_cache();

  CREATE FUNCTION notify_people() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('cache', 'people:' || (to_jsonb(coalesce(NEW, OLD)) ->> TG_ARGV[0]));
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_users_notify AFTER UPDATE OF is_active, is_platform_admin, tokens_valid_from OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION notify_people('id');
  CREATE TRIGGER tr_enrollments_notify AFTER INSERT OR UPDATE OF status, roles, tokens_valid_from OR DELETE ON enrollments
    FOR EACH ROW EXECUTE FUNCTION notify_people('user_id');
`;

/** This Console app's secret is not known: the hash is random. An operator regenerates the secret if it is needed. */
const PLATFORM = `
  WITH tenant AS (
    INSERT INTO tenants (id, name, slug, is_platform) VALUES (gen_random_uuid(), 'Platform', 'platform', true) RETURNING id
  )
  INSERT INTO apps (id, tenant_id, name, bundle_id, registration_policy, is_console_app, client_secret_hash,
                    service_scopes, config, branding)
  SELECT gen_random_uuid(), id, 'Console', 'console.platform', 'invite', true, sha256(gen_random_uuid()::text::bytea), '{}',
    '{"allowed_providers": ["password", "magic_link"], "redirect_uris": [], "post_logout_redirect_uris": [],
      "available_roles": ["user", "manager", "admin"], "auto_assign_roles": ["user"], "token_lifetime_minutes": 15,
      "refresh_lifetime_days": 30, "require_2fa": false}',
    '{"primary_color": "#2563eb", "logo_url": null, "logo_height": 40}'
  FROM tenant;
`;
