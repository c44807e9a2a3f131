import type {
  FailureReason,
  ScheduledChange,
  ScheduledState,
} from '../../operators/scheduled-changes/planning/scheduled-change.entity.js';

const STATES: Readonly<Record<ScheduledState, { text: string; tone: string }>> = {
  planned: { text: 'Scheduled', tone: 'info' },
  executed: { text: 'Applied', tone: 'plain' },
  cancelled: { text: 'Cancelled', tone: 'neutral' },
  failed: { text: 'Not applied', tone: 'bad' },
};

const PROBLEMS: Readonly<Record<FailureReason, string>> = {
  late: 'It could not be applied within 24 hours of the scheduled time.',
  authority: 'The user or app that scheduled it no longer has permission.',
  unconfirmed: 'It now requires a sign-in from the last 15 minutes. Schedule it again to confirm it.',
  refused: 'The settings can no longer be saved in this way.',
  lock_out: 'It would have locked out the user who scheduled it.',
  lock_out_of_all: 'It would have locked out all admins.',
  changed_meanwhile: 'The same settings were changed in the meantime.',
};

/** Labels of the settings in the console's forms. */
const LABELS: Readonly<Record<string, string>> = {
  is_active: 'Switched on',
  registration_policy: 'Registration',
  allowed_providers: 'Sign-in methods',
  available_roles: 'Roles of this app',
  auto_assign_roles: 'Default roles for new members',
  token_lifetime_minutes: 'Access token lifetime (minutes)',
  refresh_lifetime_days: 'Refresh token lifetime (days)',
  refresh_grace_seconds: 'Refresh token reuse interval (seconds)',
  require_pkce: 'Require PKCE',
  require_par: 'Require pushed authorization requests',
  device_grant: 'Allow the device authorization grant',
  require_2fa: 'Require a second factor',
  require_verified_email: 'Require a verified e-mail address',
  request_notices: 'E-mails about requests for access',
  min_password_length: 'Minimum password length',
  weak_passwords: 'Common and easily guessed passwords',
  allow_account_deletion: 'Let users delete their own account',
  passkey_aaguids: 'Passkey models',
  offer_passkeys: 'Offer passkeys',
  passkey_recovery_days: 'Passkey recovery delay (days)',
  client_registration: 'Allow dynamic client registration',
};

export function stateInWords(state: ScheduledState): { text: string; tone: string } {
  return STATES[state];
}

/** Null: it has not failed. */
export function problemOf({ result }: ScheduledChange): string | null {
  return result?.reason ? PROBLEMS[result.reason] : null;
}

/** `Require a second factor: on; Sign-in methods: password, passkey`. */
export function settingsInWords({ change }: Pick<ScheduledChange, 'change'>): string {
  const { config, ...rest } = change as { config?: object };
  return Object.entries({ ...rest, ...config })
    .map(([name, value]) => `${LABELS[name] ?? name}: ${valueInWords(value)}`)
    .join('; ');
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}
