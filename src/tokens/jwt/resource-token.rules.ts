import type { AccessClaims, ServiceClaims } from './token-use.js';

/** Made for an API of the tenant's, and not for the app itself: it opens nothing of ours (RFC 8707 section 2). */
export function isForResource({ aud, client_id }: Pick<AccessClaims | ServiceClaims, 'aud' | 'client_id'>): boolean {
  return aud !== client_id;
}
