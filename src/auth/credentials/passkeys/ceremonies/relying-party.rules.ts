import { isIP } from 'node:net';

/**
 * Browsers create passkeys only for host names, not for IP addresses, and only on secure connections (WebAuthn, section
 * 5.1.3).
 */
export function canHavePasskeys(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl);
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[');
  return isName && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'));
}

/** For operators, where {@link canHavePasskeys} is false. */
export const NO_PASSKEYS =
  'Browsers refuse passkeys at the address of this installation. Set BASE_URL to an https:// address with a host name, or to http://localhost.';
