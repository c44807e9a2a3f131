import { Injectable } from '@nestjs/common';
import type { UserActor } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import type { RecentSignInMark } from '../../../common/http/access-marks.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { isRecentProof, type ShownProof, withoutUnprompted } from '../../entry/recent-proof.rules.js';
import { type Asked, CriticalRequests } from './critical-requests.service.js';

/** Maximum age of the sign-in for critical actions, such as changes of roles and deletions (ASVS 7.5.3). */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

type Acting = Pick<UserActor, 'userId' | 'audience'>;

/** Whether a user must sign in again before they use a route that is marked for it. */
@Injectable()
export class RecentSignIn {
  constructor(
    private readonly critical: CriticalRequests,
    private readonly own: OwnCredentials,
    private readonly clock: Clock,
  ) {}

  /**
   * @param who the user, and the app that they use
   * @param shown when and how they signed in; a refreshed token keeps both
   */
  async isDue(mark: RecentSignInMark, who: Acting, shown: ShownProof, request: Asked): Promise<boolean> {
    if (mark === 'never' || (await this.isConfirmed(who, shown))) return false;
    if (mark === 'for_settings') return this.critical.concernsSettings(request);
    return mark === 'always' || this.critical.concernsAuthority(request);
  }

  /**
   * An app that accepts neither a password nor a passkey of the user cannot ask for credentials; for it, the provider's
   * sign-in counts (docs/decisions/0096). Changing an app's methods in this way needs a recent sign-in itself: see
   * `CriticalRequests.concernsSettings`.
   */
  private async isConfirmed({ userId, audience }: Acting, { authTime, amr }: ShownProof): Promise<boolean> {
    const isRecent = (shown: readonly string[]) =>
      isRecentProof({ authTime, amr: shown }, this.clock.now(), RECENT_SIGN_IN_SECONDS);
    if (isRecent(amr)) return true;
    return isRecent(withoutUnprompted(amr)) && !(await this.own.areTakenAt(audience, userId));
  }
}
