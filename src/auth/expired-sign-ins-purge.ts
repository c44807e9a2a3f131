import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../delivery/periodic/purge-job.js';
import { TotpChallenges } from './credentials/second-factor/check/totp-challenges.service.js';
import { MailLinksService } from './email-links/mail-links.service.js';
import { SignInAttempts } from './hosted-sign-in/attempts/sign-in-attempts.service.js';
import { KnownBrowsers } from './session/known-browsers/known-browsers.service.js';
import { SsoSessionsService } from './session/sso-sessions.service.js';

/**
 * Removes expired sign-in attempts, sessions, mailed links and TOTP challenges, and browsers that have not been used
 * for 400 days.
 */
@Injectable()
export class ExpiredSignInsPurge extends PurgeJob {
  override readonly name = 'auth.purge';
  override readonly everySeconds = 600;

  constructor(
    private readonly attempts: SignInAttempts,
    private readonly sessions: SsoSessionsService,
    private readonly links: MailLinksService,
    private readonly challenges: TotpChallenges,
    private readonly browsers: KnownBrowsers,
  ) {
    super();
  }

  protected override purges() {
    return [this.attempts, this.sessions, this.links, this.challenges, this.browsers].map(
      (expired) => () => expired.purge(),
    );
  }
}
