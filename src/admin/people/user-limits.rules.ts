import type { RateLimitLabel } from '../../rate-limits/rate-limit.rules.js';

/** Every counter that counts this very person (decisions, section 5); those by address or app belong to nobody. */
export function countersOf(user: {
  readonly id: string;
  readonly emailCanonical: string;
}): { readonly label: RateLimitLabel; readonly key: string }[] {
  const { id, emailCanonical } = user;
  return [
    { label: 'login_email', key: emailCanonical },
    { label: 'magic_link', key: emailCanonical },
    { label: 'forgot_password', key: emailCanonical },
    { label: 'send_verification', key: id },
    { label: 'totp', key: id },
    { label: 'device_register', key: id },
    { label: 'admin', key: `user:${id}` },
  ];
}
