import { appIdOf } from './token-app.rules.js';
import type { AccessClaims, ServiceClaims } from './token-use.js';

/**
 * Whether the token is for an API of the tenant and not for the app itself: it gives no access to this service (RFC
 * 8707 section 2).
 */
export function isForResource(claims: AccessClaims | ServiceClaims): boolean {
  return claims.aud !== appIdOf(claims);
}
