import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../delivery/periodic-job.js';
import { MailLinksRepository } from './email-links/mail-links.repository.js';
import { TotpChallengesRepository } from './credentials/second-factor/totp-challenges.repository.js';
import { KnownBrowsers } from './session/known-browsers.service.js';
import { SsoSessionsRepository } from './session/sso-sessions.repository.js';
import { SignInAttemptsRepository } from './hosted-sign-in/sign-in-attempts.repository.js';

/** Removes attempts, sessions and mailed links that are over, and browsers that nobody came back with. */
@Injectable()
export class ExpiredSignInsPurge extends PeriodicJob {
  readonly name = 'auth.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly sessions: SsoSessionsRepository,
    private readonly links: MailLinksRepository,
    private readonly challenges: TotpChallengesRepository,
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
