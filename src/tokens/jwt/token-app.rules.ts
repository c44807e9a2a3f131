import type { AccessClaims, ServiceClaims } from './token-use.js';

type IssuedTo = Pick<AccessClaims, 'app_id' | 'client_id'> | Pick<ServiceClaims, 'client_id'>;

/**
 * Id of the app that the token was issued to. `client_id` is the identifier that the client itself knows (RFC 9068
 * section 2.2): for a client that has registered itself, `app_id` is beside it.
 */
export function appIdOf(claims: IssuedTo): string {
  return ('app_id' in claims ? claims.app_id : undefined) ?? claims.client_id;
}
