import { ReauthenticationRequired } from '../../../common/http/recent-sign-in.js';
import type { Refusal } from '../../../common/refusal.js';

const UNCONFIRMED =
  'Approving this user makes them an admin or manager, which requires a recent sign-in. Approve them individually, or sign in again and approve at most 50 at once';

/** Why one of several members was not changed. A task has no sign-in, and several approvals do not ask for one. */
export function reasonOf(refusal: Refusal): string {
  return refusal instanceof ReauthenticationRequired ? UNCONFIRMED : refusal.message;
}
