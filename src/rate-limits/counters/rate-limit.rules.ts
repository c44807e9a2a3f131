import type { RateLimitSettings } from '../../config/settings.js';

export interface RateLimitRule {
  /** Number of hits that pass in a window. */
  readonly points: number;
  /** Length of the window; it begins with the first hit and is not prolonged by later ones. */
  readonly seconds: number;
  /** Exact `detail` of the refusal, which never changes. */
  readonly detail: string;
  /** False = the limit is lifted (RATE_LIMITS=off). */
  readonly active: boolean;
}

/** The caller decides what counts as a hit; docs/help/operations/limits.md describes it for each label. */
const DEFAULTS = {
  login_email: { points: 5, seconds: 900, detail: 'rate_limited' },
  login_ip: { points: 20, seconds: 900, detail: 'rate_limited' },
  login_page_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  oauth_start_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  oauth_callback_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  passkey_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  vapid_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  stop_link_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  pushed_requests: { points: 6_000, seconds: 60, detail: 'too_many_requests' },
  dpop_ip: { points: 600, seconds: 60, detail: 'too_many_requests' },
  dpop_key: { points: 600, seconds: 60, detail: 'too_many_requests' },
  dpop_server_key: { points: 6_000, seconds: 60, detail: 'too_many_requests' },
  client_reads: { points: 60, seconds: 60, detail: 'too_many_requests' },
  client_documents: { points: 30, seconds: 60, detail: 'too_many_requests' },
  token_exchange: { points: 6_000, seconds: 60, detail: 'too_many_requests' },
  refresh_failures: { points: 6_000, seconds: 60, detail: 'too_many_requests' },
  client_registrations: { points: 20, seconds: 3_600, detail: 'too_many_requests' },
  registered_clients: { points: 60, seconds: 3_600, detail: 'too_many_requests' },
  device_requests: { points: 600, seconds: 60, detail: 'too_many_requests' },
  client_credentials: { points: 10, seconds: 900, detail: 'too_many_requests' },
  magic_link: { points: 3, seconds: 900, detail: 'too_many_requests' },
  forgot_password: { points: 3, seconds: 900, detail: 'too_many_requests' },
  forgot_password_ip: { points: 20, seconds: 900, detail: 'too_many_requests' },
  /** For the user of a mailed link, no matter who follows it. */
  reset_password: { points: 20, seconds: 900, detail: 'too_many_requests' },
  reset_password_ip: { points: 100, seconds: 900, detail: 'too_many_requests' },
  mail_ip: { points: 30, seconds: 900, detail: 'too_many_requests' },
  send_verification: { points: 3, seconds: 900, detail: 'too_many_requests' },
  email_change: { points: 5, seconds: 3_600, detail: 'too_many_requests' },
  /** For an address that one account, or one network, asks for; ten times as much for the address: see `keysOfHit`. */
  email_change_address: { points: 5, seconds: 3_600, detail: 'too_many_requests' },
  test_mail: { points: 5, seconds: 900, detail: 'too_many_requests' },
  account_deletion: { points: 5, seconds: 3_600, detail: 'too_many_requests' },
  passkey_recovery: { points: 3, seconds: 86_400, detail: 'too_many_requests' },
  /**
   * For a user at one app, or the account page; ten times as many for the user: see `keysOfHit`. Each adds a permanent
   * audit entry, and needs no credential but the session.
   */
  continued_sign_ins: { points: 300, seconds: 900, detail: 'too_many_requests' },
  own_account: { points: 100, seconds: 900, detail: 'too_many_requests' },
  /** For a user in one tenant; ten times as many for the user in all tenants: see `keysOfHit`. */
  member_mail: { points: 3, seconds: 900, detail: 'too_many_requests' },
  /** For a user at one app; ten times as many in its tenant: see `keysOfHit`. */
  administrator_mail: { points: 20, seconds: 3_600, detail: 'too_many_requests' },
  /** For a user at one app; ten times as many in its tenant: see `keysOfHit`. */
  access_request_mail: { points: 20, seconds: 3_600, detail: 'too_many_requests' },
  /** For one app; ten times as many in its tenant: see `keysOfHit`. */
  invite_mail: { points: 1_000, seconds: 3_600, detail: 'too_many_requests' },
  /** For one app; ten times as many in its tenant: see `keysOfHit`. One bulk action approves up to 5,000 users. */
  approval_mail: { points: 5_000, seconds: 3_600, detail: 'too_many_requests' },
  /** For one app and kind of failure, and for a tenant's support address and one app, ten times as many for the tenant. */
  webhook_notice: { points: 1, seconds: 86_400, detail: 'too_many_requests' },
  account_export: { points: 5, seconds: 3_600, detail: 'too_many_requests' },
  totp: { points: 5, seconds: 900, detail: 'Too many TOTP attempts' },
  /**
   * In a row, regardless of the window of `totp`. Timers hold at most 24 days, so the memory of a process could not
   * count for a month.
   */
  totp_failures: { points: 5, seconds: 1_209_600, detail: 'Too many TOTP attempts' },
  /** Number of consecutive locks until the maximum duration, which is `seconds`. */
  totp_lock: { points: 8, seconds: 86_400, detail: 'Too many TOTP attempts' },
  device_register: { points: 10, seconds: 3_600, detail: 'too_many_requests' },
  signup_ip: { points: 100, seconds: 3_600, detail: 'too_many_requests' },
  code_failures: { points: 10, seconds: 900, detail: 'too_many_requests' },
  invite_failures: { points: 10, seconds: 900, detail: 'too_many_requests' },
  device_code_failures: { points: 10, seconds: 900, detail: 'too_many_requests' },
  /** For all users together. */
  device_code_failures_all: { points: 10_000, seconds: 900, detail: 'too_many_requests' },
  admin: { points: 600, seconds: 60, detail: 'too_many_requests' },
  audit_export: { points: 20, seconds: 900, detail: 'too_many_requests' },
  change_preview: { points: 60, seconds: 900, detail: 'too_many_requests' },
  scheduled_change: { points: 20, seconds: 3_600, detail: 'too_many_requests' },
  /** For one app; ten times as many in its tenant: see `keysOfHit`. */
  scheduled_change_tenant: { points: 30, seconds: 3_600, detail: 'too_many_requests' },
  /** For one app; ten times as many in its tenant: see `keysOfHit`. */
  app_changes: { points: 300, seconds: 3_600, detail: 'too_many_requests' },
  /** The same. */
  membership_changes: { points: 3_000, seconds: 3_600, detail: 'too_many_requests' },
  /** For a user at one app; ten times as many in its tenant: see `keysOfHit`. */
  scheduled_change_mail: { points: 20, seconds: 3_600, detail: 'too_many_requests' },
  user_list_export: { points: 20, seconds: 900, detail: 'too_many_requests' },
  denials: { points: 20, seconds: 60, detail: 'too_many_requests' },
  token_reuses: { points: 20, seconds: 900, detail: 'too_many_requests' },
  refused_clients: { points: 10, seconds: 900, detail: 'too_many_requests' },
} as const;

export type RateLimitLabel = keyof typeof DEFAULTS;

export const RATE_LIMIT_LABELS = Object.keys(DEFAULTS) as RateLimitLabel[];

/** Guessing six digits must always be limited (docs/conventions.md, section 9). */
const NEVER_LIFTED: ReadonlySet<RateLimitLabel> = new Set(['totp', 'totp_failures', 'totp_lock']);

export function rateLimitRules(settings: RateLimitSettings): Readonly<Record<RateLimitLabel, RateLimitRule>> {
  const rules = RATE_LIMIT_LABELS.map((label) => {
    const active = settings.enabled || NEVER_LIFTED.has(label);
    return [label, { ...DEFAULTS[label], ...settings.overrides[label], active }] as const;
  });
  return Object.fromEntries(rules) as Record<RateLimitLabel, RateLimitRule>;
}

/** Overrides without effect: misspelled labels. */
export function unknownLabels(settings: RateLimitSettings): string[] {
  return Object.keys(settings.overrides).filter((label) => !(label in DEFAULTS));
}
