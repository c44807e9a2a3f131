import { Injectable } from '@nestjs/common';
import { Randomness } from '../../../../common/randomness.js';
import { InvalidPasskey } from '../stored/passkeys.errors.js';
import { PasskeyChallengesRepository } from './passkey-challenges.repository.js';

const CHALLENGE_BYTES = 32;
const CHALLENGE_SECONDS = 300;

/** For the options that browsers get, in milliseconds. */
export const CEREMONY_MS = CHALLENGE_SECONDS * 1000;

/**
 * The purpose of an answer, and the browser: a sign-in attempt or a session, both bound to a cookie. `native`: an app,
 * whose devices have no cookie; `native-register`: an app and a user.
 */
export type ChallengeContext =
  `${'register' | 'sign-up' | 'sign-in' | 'second-factor' | 'native' | 'native-register'}:${string}`;

/**
 * The context of a challenge, and the apps outside the hosted pages from which the answer may come; absent: the hosted
 * pages only.
 */
export interface ExpectedChallenge {
  readonly context: ChallengeContext;
  readonly origins?: readonly string[];
}

/** Challenges of registrations and sign-ins. Each is valid for one answer, right or wrong. */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly challenges: PasskeyChallengesRepository,
    private readonly randomness: Randomness,
  ) {}

  async make(context: ChallengeContext): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = this.randomness.bytes(CHALLENGE_BYTES);
    await this.challenges.insert(challenge, context, CHALLENGE_SECONDS);
    return Uint8Array.from(challenge);
  }

  /**
   * Called before the answer is verified, so that no challenge can be tried twice.
   * @param challenge base64url, from the client data
   * @throws InvalidPasskey if it belongs to another context, is used or has expired
   */
  async take(challenge: string, context: ChallengeContext): Promise<void> {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== CHALLENGE_BYTES || !(await this.challenges.take(bytes, context)))
      throw new InvalidPasskey('challenge');
  }
}
