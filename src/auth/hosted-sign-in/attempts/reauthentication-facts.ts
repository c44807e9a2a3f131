import { showsCredentials } from '../../entry/recent-proof.rules.js';
import type { ReauthenticationFacts } from './next-step.rules.js';
import type { SignInState } from './sign-in-step.js';

/**
 * The facts that decide whether users must confirm their identity. The state machine and the sign-in page both read
 * them here.
 */
export function reauthenticationFacts({
  attempt: { request, amr },
  user,
  entry,
  acr,
  isUnprompted = false,
}: SignInState): ReauthenticationFacts {
  const { prompt, maxAge, purpose } = request;
  const [isIdentified, isForDevice] = [user !== null, purpose === 'device'];
  return { isIdentified, entry, acr, isUnprompted, isUnproven: !showsCredentials(amr), prompt, maxAge, isForDevice };
}
