import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Push: settings per app, devices, notifications with a delivery per device, the day's quota, webhooks. */
export class Push1763700001200 implements MigrationInterface {
  name = 'Push1763700001200';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of [SETTINGS, DEVICES, NOTIFICATIONS, WEBHOOKS]) await db.query(statement);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE webhook_messages, captured_pushes, push_replies, push_usage, notification_deliveries, notifications, push_devices,
        push_settings;
    `);
  }
}

const SETTINGS = `
  CREATE TABLE push_settings (
    app_id uuid NOT NULL,
    webhook_url text,
    sealed_webhook_secret text,
    sealed_previous_webhook_secret text,
    previous_webhook_secret_until timestamptz,
    webhook_disabled_at timestamptz,
    webhook_failure_told_at timestamptz,
    daily_quota integer NOT NULL DEFAULT 1000,
    sealed_fcm_account text,
    vapid_public_key text,
    sealed_vapid_private_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_push_settings PRIMARY KEY (app_id),
    CONSTRAINT fk_push_settings_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT ck_push_settings_quota CHECK (daily_quota >= 0)
  );
`;

const DEVICES = `
  CREATE TABLE push_devices (
    id uuid NOT NULL,
    app_id uuid NOT NULL,
    user_id uuid NOT NULL,
    platform text NOT NULL,
    token_hash bytea NOT NULL,
    sealed_token text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_push_devices PRIMARY KEY (id),
    CONSTRAINT uq_push_devices_token UNIQUE (app_id, token_hash),
    CONSTRAINT fk_push_devices_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT fk_push_devices_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT ck_push_devices_platform CHECK (platform IN ('web', 'ios', 'android'))
  );
  CREATE INDEX ix_push_devices_user ON push_devices (user_id, app_id);
  CREATE INDEX ix_push_devices_app ON push_devices (app_id, last_seen_at, id);
`;

/** Deliveries carry no foreign key to the device: it may be gone while its last delivery is still told. */
const NOTIFICATIONS = `
  CREATE TABLE notifications (
    id uuid NOT NULL,
    app_id uuid NOT NULL,
    user_id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb,
    ttl integer NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    device_count integer NOT NULL DEFAULT 0,
    delivered_count integer NOT NULL DEFAULT 0,
    failed_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    completed_at timestamptz,
    CONSTRAINT pk_notifications PRIMARY KEY (id),
    CONSTRAINT fk_notifications_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT fk_notifications_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT ck_notifications_status
      CHECK (status IN ('queued', 'sent', 'partial', 'failed', 'no_devices', 'expired'))
  );
  CREATE INDEX ix_notifications_app ON notifications (app_id, created_at, id);
  CREATE INDEX ix_notifications_user ON notifications (user_id);

  CREATE TABLE notification_deliveries (
    id uuid NOT NULL,
    notification_id uuid NOT NULL,
    app_id uuid NOT NULL,
    device_id uuid NOT NULL,
    platform text NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    error text,
    completed_at timestamptz,
    CONSTRAINT pk_notification_deliveries PRIMARY KEY (id),
    CONSTRAINT uq_notification_deliveries_device UNIQUE (notification_id, device_id),
    CONSTRAINT fk_notification_deliveries_notification FOREIGN KEY (notification_id)
      REFERENCES notifications (id) ON DELETE CASCADE,
    CONSTRAINT ck_notification_deliveries_status CHECK (status IN ('queued', 'delivered', 'failed', 'expired'))
  );
  CREATE INDEX ix_notification_deliveries_due ON notification_deliveries (app_id, next_attempt_at)
    WHERE status = 'queued';

  CREATE TABLE push_usage (
    app_id uuid NOT NULL,
    day date NOT NULL,
    used integer NOT NULL,
    CONSTRAINT pk_push_usage PRIMARY KEY (app_id, day),
    CONSTRAINT fk_push_usage_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
  );

  -- What a send with an Idempotency-Key was answered.
  CREATE TABLE push_replies (
    app_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    reply jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_push_replies PRIMARY KEY (app_id, key_hash),
    CONSTRAINT fk_push_replies_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_push_replies_created ON push_replies (created_at);

  -- What would have been sent, where there is no Firebase account: the embedded mode.
  CREATE TABLE captured_pushes (
    id uuid NOT NULL,
    app_id uuid NOT NULL,
    user_id uuid NOT NULL,
    device_id uuid NOT NULL,
    notification_id uuid NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_captured_pushes PRIMARY KEY (id)
  );
  CREATE INDEX ix_captured_pushes_created ON captured_pushes (created_at);
`;

const WEBHOOKS = `
  CREATE TABLE webhook_messages (
    id uuid NOT NULL,
    app_id uuid NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    attempts integer NOT NULL DEFAULT 0,
    attempts_before integer NOT NULL DEFAULT 0,
    last_status integer,
    last_error text,
    history jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz,
    completed_at timestamptz,
    CONSTRAINT pk_webhook_messages PRIMARY KEY (id),
    CONSTRAINT fk_webhook_messages_app FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
    CONSTRAINT ck_webhook_messages_status CHECK (status IN ('queued', 'delivered', 'failed'))
  );
  CREATE INDEX ix_webhook_messages_app ON webhook_messages (app_id, created_at, id);
  CREATE INDEX ix_webhook_messages_due ON webhook_messages (app_id, next_attempt_at) WHERE status = 'queued';
  CREATE INDEX ix_webhook_messages_completed ON webhook_messages (completed_at) WHERE completed_at IS NOT NULL;
`;
