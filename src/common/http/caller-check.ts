import type { Actor } from '../actor.js';

/**
 * Found by type in the processes that answer requests, for work that takes seconds: whether the caller still has all of
 * the authority with which the request began.
 */
export abstract class CallerCheck {
  /** Does nothing for servers and the service itself. @throws InsufficientPermissions */
  abstract checkUnchanged(by: { readonly actor: Actor }): Promise<void>;
}
