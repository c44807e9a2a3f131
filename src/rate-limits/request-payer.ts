import type { RequestContext } from '../common/request-context.js';
import { clientAddressKey } from './client-address.js';
import { widerNetwork } from './counters/counter-keys.rules.js';

/**
 * The payer for the costly work of a request: the tenant of the app whose server sent it, the user, or, without either,
 * the network (for IPv6 the /48).
 */
export function payerOf({ actor, ip }: RequestContext): string {
  switch (actor.type) {
    case 'service':
      return actor.tenantId;
    case 'user':
      return actor.userId;
    case 'system':
      return actor.type;
    case 'anonymous':
      return widerNetwork(clientAddressKey(ip)) ?? clientAddressKey(ip);
  }
}
