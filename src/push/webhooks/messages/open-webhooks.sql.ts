/** With `IS_OPEN`: webhooks that can be called: the app and its tenant are on, and the receiver has not answered 410. */
export const OPEN_WEBHOOKS = `
  push_settings s JOIN apps a ON a.id = s.app_id AND a.is_active JOIN tenants t ON t.id = a.tenant_id AND t.is_active`;
export const IS_OPEN =
  's.webhook_url IS NOT NULL AND s.webhook_disabled_at IS NULL AND s.sealed_webhook_secret IS NOT NULL';
