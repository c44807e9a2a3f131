import { Injectable } from '@nestjs/common';
import type { UserActor } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import type { RecentSignInMark } from '../../../common/http/access-marks.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { isRecentProof, type ShownProof, withoutUnprompted } from '../../entry/recent-proof.rules.js';
import { type Asked, CriticalRequests } from './critical-requests.service.js';

/** How long credentials count for acts that give power, take it, or cannot be taken back (ASVS 7.5.3). */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

type Acting = Pick<UserActor, 'userId' | 'audience'>;

/** Whether a user has to sign in again before a route that is marked so. */
@Injectable()
export class RecentSignIn {
  constructor(
    private readonly critical: CriticalRequests,
    private readonly own: OwnCredentials,
    private readonly clock: Clock,
  ) {}

  /**
   * @param who acts, and at which app
   * @param shown when and how they last signed in; a refreshed token keeps both
   */
  async isDue(mark: RecentSignInMark, who: Acting, shown: ShownProof, request: Asked): Promise<boolean> {
    if (mark === 'never' || (await this.isConfirmed(who, shown))) return false;
    if (mark === 'for_settings') return this.critical.concernsSettings(request);
    return mark === 'always' || this.critical.concernsAuthority(request);
  }

  /**
   * An app that takes nothing of the user's own has nothing to ask for: there the word of a provider counts (docs/decisions/0096). To make
   * an app such a one needs a recent sign-in itself: see `CriticalRequests.concernsSettings`.
   */
  private async isConfirmed({ userId, audience }: Acting, { authTime, amr }: ShownProof): Promise<boolean> {
    const isRecent = (shown: readonly string[]) =>
      isRecentProof({ authTime, amr: shown }, this.clock.now(), RECENT_SIGN_IN_SECONDS);
    if (isRecent(amr)) return true;
    return isRecent(withoutUnprompted(amr)) && !(await this.own.areTakenAt(audience, userId));
  }
}
