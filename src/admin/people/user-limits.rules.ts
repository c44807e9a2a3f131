import { isIP } from 'node:net';
import { type EmailAddress, readEmail } from '../../common/validation/email.rules.js';
import type { RateLimitLabel } from '../../rate-limits/rate-limit.rules.js';

export interface Counter {
  readonly label: RateLimitLabel;
  readonly key: string;
}

/** Whom counters belong to that need no account: an e-mail address, or a network address with everybody behind it. */
export type LimitedAddress = { readonly email: EmailAddress } | { readonly network: string };

/** An IPv6 network as `clientAddressKey` writes it. */
const NETWORK_KEY = /^(.*::)\/64$/;

/** As typed; null where it is neither. */
export function readLimitedAddress(text: string): LimitedAddress | null {
  const network = NETWORK_KEY.exec(text)?.[1] ?? text;
  if (isIP(network) !== 0) return { network };
  const email = readEmail(text);
  return email && { email };
}

/** Every counter that counts this very person (decisions, section 5). */
export function countersOf({
  id,
  emailCanonical,
}: {
  readonly id: string;
  readonly emailCanonical: string;
}): Counter[] {
  return [
    ...countersOfEmail(emailCanonical),
    { label: 'send_verification', key: id },
    { label: 'totp', key: id },
    { label: 'device_register', key: id },
    { label: 'admin', key: `user:${id}` },
  ];
}

/** @param key canonical e-mail address */
export function countersOfEmail(key: string): Counter[] {
  return (['login_email', 'magic_link', 'forgot_password'] as const).map((label) => ({ label, key }));
}

/** @param key see `clientAddressKey` */
export function countersOfAddress(key: string): Counter[] {
  const labels = ['login_ip', 'forgot_password_ip', 'signup_ip', 'code_failures'] as const;
  return labels.map((label) => ({ label, key }));
}
