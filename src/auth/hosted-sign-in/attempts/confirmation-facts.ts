import { showsCredentials } from '../../entry/recent-proof.rules.js';
import type { ConfirmationFacts } from './next-step.rules.js';
import type { SignInState } from './sign-in-step.js';

/** What decides whether users have to confirm that it is them: the state machine and the sign-in page read the same. */
export function confirmationFacts({
  attempt: { request, amr },
  user,
  entry,
  acr,
  isUnprompted = false,
}: SignInState): ConfirmationFacts {
  const { prompt, maxAge, purpose } = request;
  const [isIdentified, isForDevice] = [user !== null, purpose === 'device'];
  return { isIdentified, entry, acr, isUnprompted, isUnproven: !showsCredentials(amr), prompt, maxAge, isForDevice };
}
