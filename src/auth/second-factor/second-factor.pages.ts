import { RateLimited } from '../../rate-limits/rate-limited.js';
import type { Form, StepOutcome } from '../sign-in/sign-in-step.js';
import { InvalidTotpCode } from './second-factor.errors.js';
import type { TotpSetup } from './second-factor.service.js';

/** From here on the page says how many tries are left. */
const FEW = 2;

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

/** A sentence for the last tries; a number that frightens nobody who has just begun. */
export function fewTries({ tries, retryAfter }: { tries: number; retryAfter: number }): string | null {
  if (tries > FEW) return null;
  if (tries === 0) return `No tries left. ${waitInWords(retryAfter)}`;
  return tries === 1 ? '1 try left.' : `${tries} tries left.`;
}

/** The refusals that the person can do something about; everything else goes to the error filter. */
export function judgeSecondFactorError(error: unknown): StepOutcome {
  if (error instanceof InvalidTotpCode) {
    return again(401, 'That code is not right, or was used already. Wait for the next one and try again.');
  }
  if (error instanceof RateLimited) {
    return {
      ...again(429, `Too many wrong codes. ${waitInWords(error.extras.retryAfter ?? 60)}`),
      retryAfter: error.extras.retryAfter,
    };
  }
  throw error;
}

function waitInWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Wait ${minutes <= 1 ? 'a minute' : `${minutes} minutes`}, then try again.`;
}

export function again(status: number, message: string): Extract<StepOutcome, { kind: 'again' }> {
  return { kind: 'again', status, form: {}, errors: [{ field: 'code', message }] };
}
