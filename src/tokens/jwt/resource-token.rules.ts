import type { AccessClaims, ServiceClaims } from './token-use.js';

/**
 * Whether the token is for an API of the tenant and not for the app itself: it gives no access to this service (RFC
 * 8707 section 2).
 */
export function isForResource({ aud, client_id }: Pick<AccessClaims | ServiceClaims, 'aud' | 'client_id'>): boolean {
  return aud !== client_id;
}
