import { message, type Text } from '../../../common/i18n/message.js';
import { tooManyAttempts } from '../../../common/pages/waiting-words.js';
import { Refusal } from '../../../common/refusal.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { InvalidInvite, InviteeSuspended, InviteNotForThisEmail } from '../../../invites/invite/invites.errors.js';
import type { Form, StepOutcome } from '../../hosted-sign-in/attempts/sign-in-step.js';
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
  const again = (status: number, field: string | null, text: Text): StepOutcome => ({
    kind: 'again',
    status,
    form,
    errors: [{ field, message: text, code: error instanceof Refusal ? error.code : undefined }],
  });
  if (error instanceof InvalidInvite) return again(400, 'code', NOT_VALID);
  if (error instanceof InviteNotForThisEmail) return again(400, addressField, FOR_ANOTHER);
  // The next step explains it: the user is suspended, or the account has changed in the meantime.
  if (error instanceof InviteeSuspended || error instanceof ProofOutdated) return { kind: 'continue' };
  if (error instanceof RateLimited) {
    return {
      ...again(429, null, tooManyAttempts(error.retryAfterSeconds)),
      retryAfter: error.retryAfterSeconds,
    } as StepOutcome;
  }
  throw error;
}
