import { ReauthenticationRequired } from '../../../common/http/recent-sign-in.js';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { isRecentProof, type PastAuthentication, showsCredentials } from '../../entry/recent-proof.rules.js';

/** Maximum age of the sign-in for changes to the user's own sign-in methods (ASVS 7.5.1). */
export const FRESH_SECONDS = 300;

/** Whether users must sign in again before they change their own sign-in methods. */
@Injectable()
export class FreshSignIn {
  constructor(
    private readonly own: OwnCredentials,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'baseUrl'>,
  ) {}

  /** Whether the user signed in within the last five minutes, and showed credentials. */
  isShown(shown: PastAuthentication): boolean {
    return isRecentProof(shown, this.clock.now(), FRESH_SECONDS);
  }

  /**
   * The error that asks for a new sign-in. At an app that accepts neither a password nor a passkey of the user, every
   * new sign-in would be refused again, so the error contains the address of the account page, which asks for
   * credentials (docs/decisions/0096).
   * @param audience the app that a token was issued for; null for a session
   */
  async refusal(
    userId: string,
    audience: string | null,
    { amr }: PastAuthentication,
  ): Promise<ReauthenticationRequired> {
    const isEndless = audience !== null && !showsCredentials(amr) && !(await this.own.areAcceptedAt(audience, userId));
    return new ReauthenticationRequired(FRESH_SECONDS, isEndless ? `${this.settings.baseUrl}/account` : null);
  }
}
