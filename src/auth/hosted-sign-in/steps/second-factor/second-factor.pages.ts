import { message, type Text } from '../../../../common/i18n/message.js';
import { RateLimited } from '../../../../rate-limits/rate-limited.js';
import { again, type Form } from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { InvalidTotpCode } from '../../../credentials/second-factor/stored/second-factor.errors.js';
import { waitInWords } from '../../../../common/pages/durations.js';
import type { TotpSetup } from '../../../credentials/second-factor/management/second-factor-setup.service.js';

/** With this number of tries left or fewer, the page shows the number. */
const FEW = 2;

const WRONG = {
  code: message('second-factor.code_wrong'),
  backup_code: message('second-factor.backup_code_wrong'),
} as const;

export const CODE_MISSING = {
  code: message('second-factor.code_missing'),
  backup_code: message('second-factor.backup_code_missing'),
} as const;

export const SETUP_RESTARTED = message('second-factor.begun_again');

/** Values of the set-up page: the QR code as an image, and the secret in groups of four for typing. */
export function setupModel({ secret, otpauthUri, qrSvg }: TotpSetup) {
  return {
    qr: `data:image/svg+xml;base64,${Buffer.from(qrSvg).toString('base64')}`,
    secret,
    secretGroups: secret.match(/.{1,4}/g) ?? [],
    otpauthUri,
  };
}

/** Backup codes as a list, and as the text of a file to keep. */
export function backupCodesModel(codes: readonly string[], email: string) {
  const codesText = codes.join('\n');
  return { codes, codesText, fileText: message('second-factor.backup_codes_file', { email, codes: codesText }) };
}

/** Removes blanks, because users type codes as their authenticator app shows them, in two groups of three. */
export function typedCode(form: Form): string {
  return (form['code'] ?? '').replace(/\s/g, '');
}

/**
 * A sentence with the number of tries left, if there are few. Null if there are more, or if the error already says that
 * there were too many.
 */
export function fewTries(
  { tries, retryAfter }: { tries: number; retryAfter: number },
  errors: readonly FormError[],
): Text | null {
  if (tries > FEW || errors.some(({ code }) => code === 'rate_limited')) return null;
  if (tries === 0) return message('second-factor.no_tries_left', { wait: waitInWords(retryAfter) });
  return message('second-factor.tries_left', { count: tries });
}

/** The field with which the form was sent. */
export function fieldOf(form: Form): 'code' | 'backup_code' {
  return form['kind'] === 'backup' ? 'backup_code' : 'code';
}

/**
 * Shows the page again for errors about which the user can do something; all others go to the error filter.
 * @param field to which the error belongs
 */
export function judgeSecondFactorError(error: unknown, field: 'code' | 'backup_code' = 'code') {
  if (error instanceof InvalidTotpCode) return again(401, field, WRONG[field]);
  if (error instanceof RateLimited) {
    const tooMany = message('second-factor.too_many', { wait: waitInWords(error.retryAfterSeconds) });
    return again(429, field, tooMany, { code: error.code, retryAfter: error.retryAfterSeconds });
  }
  throw error;
}
