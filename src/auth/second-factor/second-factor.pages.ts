import { RateLimited } from '../../rate-limits/rate-limited.js';
import type { Form, StepOutcome } from '../sign-in/sign-in-step.js';
import type { FormError } from '../../common/pages/form-error.js';
import { InvalidTotpCode } from './second-factor.errors.js';
import { waitThenTryAgain } from '../../common/pages/waiting-words.js';
import type { TotpSetup } from './second-factor.service.js';

type Again = Extract<StepOutcome, { kind: 'again' }>;

/** From here on the page says how many tries are left. */
const FEW = 2;

const TOO_MANY = 'Too many wrong codes.';
const WRONG = {
  code: 'That code is not right. Try the next one.',
  backup_code: 'That code is not right, or was used already.',
} as const;

export const EMPTY = {
  code: 'Enter the six digits that your authenticator app shows.',
  backup_code: 'Enter one of your backup codes.',
} as const;

export const BEGUN_AGAIN =
  'This set-up was begun again in another place, so the picture is a new one. Scan it once more.';

/** What the set-up page shows: the QR code as an image, and the secret in groups of four for typing. */
export function setupModel({ secret, otpauthUri, qrSvg }: TotpSetup) {
  return {
    qr: `data:image/svg+xml;base64,${Buffer.from(qrSvg).toString('base64')}`,
    secret,
    secretGroups: secret.match(/.{1,4}/g) ?? [],
    otpauthUri,
  };
}

/** Backup codes as a list and as a text file to keep. */
export function backupCodesModel(codes: readonly string[], email: string) {
  const text = `Backup codes of ${email}\nEach works once.\n\n${codes.join('\n')}\n`;
  return { codes, codesText: codes.join('\n'), file: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}` };
}

/** People type codes as their app shows them, in two groups of three. */
export function typedCode(form: Form): string {
  return (form['code'] ?? '').replace(/\s/g, '');
}

/** A sentence for the last tries, nothing for those who have just begun. Too many: the error says it already. */
export function fewTries(
  { tries, retryAfter }: { tries: number; retryAfter: number },
  errors: readonly FormError[],
): string | null {
  if (tries > FEW || errors.some(({ code }) => code === 'rate_limited')) return null;
  if (tries === 0) return `No tries left. ${waitThenTryAgain(retryAfter)}`;
  return tries === 1 ? '1 try left.' : `${tries} tries left.`;
}

/** Which of the two fields a form was sent with. */
export function fieldOf(form: Form): 'code' | 'backup_code' {
  return form['kind'] === 'backup' ? 'backup_code' : 'code';
}

/**
 * The refusals that the person can do something about; everything else goes to the error filter.
 * @param field where it belongs
 */
export function judgeSecondFactorError(error: unknown, field: 'code' | 'backup_code' = 'code'): Again {
  if (error instanceof InvalidTotpCode) return again(401, WRONG[field], field);
  if (error instanceof RateLimited) {
    const { retryAfter } = error.extras;
    return { ...again(429, `${TOO_MANY} ${waitThenTryAgain(retryAfter ?? 60)}`, field, error.code), retryAfter };
  }
  throw error;
}

export function again(status: number, message: string, field: 'code' | 'backup_code' = 'code', code?: string): Again {
  return { kind: 'again', status, form: {}, errors: [{ field, message, code }] };
}
