import type { Proof } from '../../../users/proof.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';

/** What an attempt has saved of the first factor, for the requests that follow. */
export function attemptProof({ userId, credentialsVersion }: SignInAttempt): Proof {
  return { userId: userId!, credentialsVersion };
}
