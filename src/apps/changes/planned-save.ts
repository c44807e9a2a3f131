import type { EntityManager } from 'typeorm';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { requireRecentSignIn } from '../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../common/request-context.js';

/** A scheduled change: the save and this step are committed together or not at all. */
export interface PlannedSave<Target> {
  /** Id of the scheduled change, for the audit entry. */
  readonly id: string;
  /** The reasons for which it needed a recent sign-in when it was planned, and had one. */
  readonly confirmed: readonly string[];
  /**
   * @param target the current row, locked
   * @returns the context of the operator who scheduled it, with their current authority and without a recent sign-in
   */
  settle(tx: EntityManager, target: Target): Promise<RequestContext>;
}

/** What a server may do although an administrator has to confirm it (docs/decisions/0104). */
const BY_SERVERS: readonly string[] = ['sign_in_methods'];

/**
 * For a change that needs a recent sign-in for these reasons. The server of an app has no sign-in, so it cannot make
 * such a change. A scheduled change has no sign-in when it is due: each reason must have been confirmed when it was
 * planned.
 * @throws InsufficientPermissions for a service token, ReauthenticationRequired
 */
export function requireConfirmed(
  ctx: RequestContext,
  reasons: readonly string[],
  planned?: Pick<PlannedSave<never>, 'confirmed'>,
): void {
  const open = reasons.filter((reason) => !planned?.confirmed.includes(reason));
  if (ctx.actor.type === 'service' && open.some((reason) => !BY_SERVERS.includes(reason)))
    throw new InsufficientPermissions();
  if (open.length > 0) requireRecentSignIn(ctx);
}
