import type { EntityManager } from 'typeorm';
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

/**
 * For a change that needs a recent sign-in for these reasons. A scheduled change has no sign-in when it is due: each
 * reason must have been confirmed when it was planned.
 * @throws ReauthenticationRequired
 */
export function requireConfirmed(
  ctx: RequestContext,
  reasons: readonly string[],
  planned?: Pick<PlannedSave<never>, 'confirmed'>,
): void {
  if (reasons.some((reason) => !planned?.confirmed.includes(reason))) requireRecentSignIn(ctx);
}
