import { Injectable } from '@nestjs/common';
import type { UserActor } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import { RECENT_SIGN_IN_SECONDS } from '../../../common/http/recent-sign-in.js';
import type { RecentSignInMark } from '../../../common/http/access-marks.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { isRecentProof, type PastAuthentication, withoutUnprompted } from '../../entry/recent-proof.rules.js';
import { type RequestParts, CriticalRequests } from './critical-requests.service.js';

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
   * Whether the sign-in is recent enough, for `RequestContext.signedInRecently`.
   * @param who the user, and the app that they use
   * @param shown when and how they signed in; a refreshed token keeps both
   * @returns undefined: the route does not ask
   */
  async isRecent(mark: RecentSignInMark, who: Acting, shown: PastAuthentication): Promise<boolean | undefined> {
    return mark === 'never' ? undefined : this.isConfirmed(who, shown);
  }

  /**
   * Whether the request is refused before it is handled, if the sign-in is not recent. With `for_settings`, the service
   * decides, because only it knows what the request changes; with `for_codes`, it leaves out the codes.
   */
  async isRequired(mark: RecentSignInMark, request: RequestParts): Promise<boolean> {
    return mark === 'always' || (mark === 'for_authority' && this.critical.concernsAuthority(request));
  }

  /**
   * An app that accepts neither a password nor a passkey of the user cannot ask for credentials; for it, the provider's
   * sign-in counts (docs/decisions/0096). Changing an app's methods in this way needs a recent sign-in itself: see
   * `criticalReasons`.
   */
  private async isConfirmed({ userId, audience }: Acting, { authTime, amr }: PastAuthentication): Promise<boolean> {
    const isRecent = (shown: readonly string[]) =>
      isRecentProof({ authTime, amr: shown }, this.clock.now(), RECENT_SIGN_IN_SECONDS);
    if (isRecent(amr)) return true;
    return isRecent(withoutUnprompted(amr)) && !(await this.own.areAcceptedAt(audience, userId));
  }
}
