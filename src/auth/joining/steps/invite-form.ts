import { message } from '../../../common/i18n/message.js';
import { tooManyAttempts } from '../../../common/pages/durations.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { InvalidInvite, InviteeSuspended, InviteNotForThisEmail } from '../../../invites/invite/invites.errors.js';
import { again, type Form, type StepOutcome } from '../../hosted-sign-in/attempts/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';

const NOT_VALID = message('sign-in.invite.code_not_valid');
const FOR_ANOTHER = message('sign-in.invite.for_another');

/** The error for the app if the user goes back from a page that asks for a code. */
export function reasonToGoBack(errors: readonly FormError[]): 'invalid_invite' | 'registration_closed' {
  const isRefused = errors.some(({ code }) => code === 'invalid_invite' || code === 'invite_not_for_this_email');
  return isRefused ? 'invalid_invite' : 'registration_closed';
}

/**
 * Shows the page again if the code was wrong or too many were tried. Other errors are thrown again, for the error
 * filter.
 * @param addressField the field with the error if the invite was mailed to another address
 */
export function inviteFormAgain(error: unknown, form: Form, addressField: 'code' | 'email'): StepOutcome {
  if (error instanceof InvalidInvite) return again(400, 'code', NOT_VALID, { form, code: error.code });
  if (error instanceof InviteNotForThisEmail) return again(400, addressField, FOR_ANOTHER, { form, code: error.code });
  // The next step explains it: the user is suspended, or the account has changed in the meantime.
  if (error instanceof InviteeSuspended || error instanceof ProofOutdated) return { kind: 'continue' };
  if (error instanceof RateLimited) {
    const { code, retryAfterSeconds: retryAfter } = error;
    return again(429, null, tooManyAttempts(retryAfter), { form, code, retryAfter });
  }
  throw error;
}
