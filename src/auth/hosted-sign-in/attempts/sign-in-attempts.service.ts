import { Injectable } from '@nestjs/common';
import { allowsDeviceGrant } from '../../../apps/settings/app-config.rules.js';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import type { LiveSession } from '../../session/sso-sessions.repository.js';
import { AttemptFacts } from './attempt-facts.service.js';
import { type AuthorizationRequest, endsHere } from '../authorization-request/authorization-request.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import type { SignInState } from './sign-in-step.js';

export const ATTEMPT_SECONDS = 3600;
/** RFC 5321 section 4.5.3.1: 64 + "@" + 255. */
const MAX_EMAIL_LENGTH = 320;

/**
 * Saved attempts of the hosted sign-in: creates and finds them, and reads them with the current state of everything.
 */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly directory: AppDirectory,
    private readonly facts: AttemptFacts,
    private readonly randomness: Randomness,
  ) {}

  /** Saves a new attempt, with the identity of the browser's SSO session if there is one. */
  async begin(
    appId: string,
    request: AuthorizationRequest,
    browserHash: Buffer,
    session: LiveSession | null,
  ): Promise<SignInAttempt> {
    const attempt = {
      id: this.randomness.uuid(),
      browserHash,
      appId,
      request,
      userId: session?.userId ?? null,
      authTime: session?.authTime ?? null,
      amr: [...(session?.amr ?? [])],
      viaSso: session !== null,
      sid: session?.sid ?? null,
      credentialsVersion: session?.credentialsVersion ?? 1,
    };
    await this.attempts.insert(attempt, ATTEMPT_SECONDS);
    return { ...attempt, finishedAt: null } as SignInAttempt;
  }

  /** The attempt, if it belongs to this browser and has not expired. */
  find(id: string, browserHash: Buffer): Promise<SignInAttempt | null> {
    return this.attempts.findOfBrowser(id, browserHash);
  }

  /**
   * The app of an attempt. Null if it was switched off in the meantime, or has removed the attempt's redirect URI:
   * nothing is sent to that address any more, no code, no error and no link. The account page belongs to the service.
   * Devices continue as long as the app allows them.
   */
  async findClient({ appId, request }: SignInAttempt): Promise<RegisteredClient | null> {
    if (!endsHere(request)) return this.directory.findLeadingTo(appId, request.redirectUri);
    const client = await this.directory.findOpenOfAnyOrigin(appId);
    return client && request.purpose === 'device' && !allowsDeviceGrant(client.app) ? null : client;
  }

  /** Every page and every answer of an attempt begins with this. Null as {@link findClient}. */
  async readState(attempt: SignInAttempt): Promise<SignInState | null> {
    const registered = await this.findClient(attempt);
    return registered && this.facts.read(attempt, registered);
  }

  /** Fills in the address on the following pages of this attempt, as `login_hint` does. */
  async rememberEmail({ id, request }: SignInAttempt, email: string): Promise<void> {
    if (email !== '' && email !== request.loginHint) await this.attempts.hint(id, email.slice(0, MAX_EMAIL_LENGTH));
  }

  /** Removes expired attempts. */
  purge(): Promise<void> {
    return this.attempts.purge();
  }
}
