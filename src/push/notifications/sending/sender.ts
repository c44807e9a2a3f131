import type { ServiceActor } from '../../../common/actor.js';
import { MissingRequiredScope } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';

/** The app's server that sends. @throws MissingRequiredScope */
export function senderOf({ actor }: RequestContext): ServiceActor {
  if (actor.type !== 'service') throw new MissingRequiredScope('push:send');
  return actor;
}
