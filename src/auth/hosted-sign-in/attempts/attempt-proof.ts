import type { Proof } from '../../../users/proof.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';

/** The proof of the first factor that an attempt has saved, for the requests that follow. */
export function attemptProof({ userId, credentialsVersion }: SignInAttempt): Proof {
  return { userId: userId!, credentialsVersion };
}
