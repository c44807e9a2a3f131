import type { RequestContext } from '../common/request-context.js';
import { clientAddressKey } from './client-address.js';

/**
 * The payer for the costly work of a request: the tenant of the app that the token is for, a user with a sign-in of their own,
 * or, without any, the network address.
 */
export function payerOf({ actor, ip }: RequestContext): string {
  switch (actor.type) {
    case 'service':
      return actor.tenantId;
    case 'user':
      return actor.tenantId ?? actor.userId;
    case 'system':
      return actor.type;
    case 'anonymous':
      return clientAddressKey(ip);
  }
}
