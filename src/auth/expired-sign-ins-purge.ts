import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../delivery/periodic/periodic-job.js';
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
export class ExpiredSignInsPurge extends PeriodicJob {
  readonly name = 'auth.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly attempts: SignInAttempts,
    private readonly sessions: SsoSessionsService,
    private readonly links: MailLinksService,
    private readonly challenges: TotpChallenges,
    private readonly browsers: KnownBrowsers,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.attempts.purge();
    await this.sessions.purge();
    await this.links.purge();
    await this.challenges.purge();
    await this.browsers.purge();
  }
}
