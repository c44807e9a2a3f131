import { message } from '../../../../common/i18n/message.js';
import { Refusal } from '../../../../common/refusal.js';
import { emailAdvice } from '../../../../common/validation/email.rules.js';
import { DISPLAY_NAME_LENGTH, judgeDisplayName } from '../../../../users/display-name.rules.js';
import { judgePassword, MAX_PASSWORD_LENGTH } from '../../../../users/passwords/password.rules.js';
import { PasswordRefused, UserAlreadyExists } from '../../../../users/users.errors.js';
import type { FirstCredential } from '../../../credentials/passkeys/ceremonies/first-passkey.service.js';
import {
  InvalidPasskey,
  PasskeyAlreadyAdded,
  PasskeyModelNotAccepted,
} from '../../../credentials/passkeys/stored/passkeys.errors.js';
import { AccountAlreadyExists } from '../../../entry/auth.errors.js';
import { again, type Form, type StepOutcome } from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';

export interface AccountForm {
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
}

export function readAccountForm(form: Form): AccountForm {
  return {
    email: form['email'] ?? '',
    displayName: (form['display_name'] ?? '').trim(),
    password: form['password'] ?? '',
  };
}

/** @param asksForPassword false for an account without a password */
export function judgeAccountForm({ email, displayName, password }: AccountForm, asksForPassword: boolean): FormError[] {
  const errors: FormError[] = [];
  const advice = emailAdvice(email);
  if (advice) errors.push({ field: 'email', message: advice });
  if (judgeDisplayName(displayName) !== 'ok')
    errors.push({ field: 'display_name', message: message('fields.name_missing', { max: DISPLAY_NAME_LENGTH }) });
  const verdict = asksForPassword ? judgePassword(password) : 'ok';
  if (verdict === 'too_short') errors.push({ field: 'password', message: message('fields.password_missing') });
  if (verdict === 'too_long')
    errors.push({ field: 'password', message: message('fields.too_long', { max: MAX_PASSWORD_LENGTH }) });
  return errors;
}

/** Identifies a passkey that was created but opens no account, so that the page can have the device forget it. */
export function orphanOf(first: FirstCredential | null): Form {
  if (!first) return {};
  const { credentialId, rpId } = first.made;
  return { unknown: credentialId.toString('base64url'), rp_id: rpId };
}

/** Shows the page again for errors about which the user can do something; all others go to the error filter. */
export function accountFormAgain(error: unknown, form: Form): StepOutcome {
  if (error instanceof AccountAlreadyExists || error instanceof UserAlreadyExists)
    return again(400, 'email', message('sign-in.sign_up.account_exists'), { form });
  if (error instanceof InvalidPasskey || error instanceof PasskeyAlreadyAdded)
    return again(400, null, message('sign-in.sign_up.passkey_failed'), { form });
  if (error instanceof PasskeyModelNotAccepted)
    return again(409, null, message('account.passkeys.other_model'), { form });
  if (error instanceof PasswordRefused) return again(400, 'password', error.advice, { form });
  if (error instanceof Refusal && error.extras.retryAfter !== undefined) {
    return again(429, null, message('sign-in.sign_up.too_many'), { form, retryAfter: error.extras.retryAfter });
  }
  throw error;
}
