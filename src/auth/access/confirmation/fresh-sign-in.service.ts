import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ReauthenticationRequired } from '../../entry/auth.errors.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { isRecentProof, type ShownProof, showsCredentials } from '../../entry/recent-proof.rules.js';

/** Longest age of the sign-in behind a change to how one signs in (ASVS 7.5.1). */
export const FRESH_SECONDS = 300;

/** Whether users have to sign in again before they change how they sign in. */
@Injectable()
export class FreshSignIn {
  constructor(
    private readonly own: OwnCredentials,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'baseUrl'>,
  ) {}

  /** From the last five minutes, and with credentials. */
  isShown(shown: ShownProof): boolean {
    return isRecentProof(shown, this.clock.now(), FRESH_SECONDS);
  }

  /**
   * How to ask for it. An app that takes nothing of the user's own would ask for a new sign-in without end: only the account page can ask
   * for credentials (docs/decisions/0096).
   * @param audience the app that a token was made for; null for a session
   */
  async refusal(userId: string, audience: string | null, { amr }: ShownProof): Promise<ReauthenticationRequired> {
    const isEndless = audience !== null && !showsCredentials(amr) && !(await this.own.areTakenAt(audience, userId));
    return new ReauthenticationRequired(FRESH_SECONDS, isEndless ? `${this.settings.baseUrl}/account` : null);
  }
}
