import { type Message, message } from '../i18n/message.js';

/** An accepted address. `typed` is stored, shown and used for mails; `canonical` is compared and unique. */
export interface EmailAddress {
  /** Without surrounding blanks; upper and lower case as typed. */
  readonly typed: string;
  /** In lower case, otherwise unchanged. */
  readonly canonical: string;
}

export type EmailVerdict =
  | 'ok'
  /** Not a valid address. */
  | 'malformed'
  /** A valid address that looks like a different one: a mail would go to another mailbox. */
  | 'deceptive';

/**
 * Validates every address, on all routes: null if it is refused. Two accepted addresses with the same canonical form
 * differ only in upper and lower case, so a look-alike never matches another user's address.
 */
export function readEmail(text: string): EmailAddress | null {
  if (judgeEmail(text) !== 'ok') return null;
  const typed = text.trim();
  return { typed, canonical: typed.toLowerCase() };
}

export function judgeEmail(text: string): EmailVerdict {
  if (text.length > MAX_TYPED_LENGTH) return 'malformed';
  if (!isWellFormed(foldedEmail(text))) return 'malformed';
  return isWhatItLooksLike(text) && isWellFormed(text.trim()) ? 'ok' : 'deceptive';
}

/** The form error for an address that is refused; null if it is accepted. */
export function emailAdvice(text: string): Message | null {
  switch (judgeEmail(text)) {
    case 'ok':
      return null;
    case 'malformed':
      return message('fields.email_malformed');
    case 'deceptive':
      return message('fields.email_deceptive');
  }
}

/**
 * The form that searches compare: look-alikes and invisible characters are folded (NFKC, lower case). It also finds
 * rows from before such addresses were refused. Never used as the key of a new address.
 */
export function foldedEmail(text: string): string {
  return withoutInvisible(withoutInvisible(text).normalize('NFKC').toLowerCase().normalize('NFKC')).trim();
}

const MAX_TYPED_LENGTH = 1000;
const MAX_LENGTH = 254;
/** Formatting and bidirectional controls, and characters that are not displayed. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * The address has no invisible characters, and neither compatibility normalization (NFKC) nor lower-casing changes it
 * into another address.
 */
function isWhatItLooksLike(text: string): boolean {
  const typed = text.trim();
  const canonical = typed.toLowerCase();
  return (
    withoutInvisible(text) === text &&
    typed.normalize('NFKC') === typed &&
    canonical.normalize('NFKC') === canonical &&
    // U+0130 is the only letter that becomes two in lower case: `i` with a combining dot is not `i`.
    [...canonical].length === [...typed].length
  );
}

/** Limits of RFC 5321 (64 + 1 + 255, 254 in all); one @, no characters of lists or headers. */
function isWellFormed(email: string): boolean {
  if (email.length > MAX_LENGTH) return false;
  const match = /^([^@]{1,64})@([^@]{1,253})$/u.exec(email);
  if (!match) return false;
  const [, local, domain] = match;
  // In other systems, commas, semicolons, quotes, brackets, blanks and control characters have turned one recipient
  // into two.
  if (/[\s,;:"'`()<>[\]\\|\p{Cc}\p{Cs}\p{Zs}]/u.test(email)) return false;
  if (local!.startsWith('.') || local!.endsWith('.') || local!.includes('..')) return false;
  const labels = domain!.split('.');
  if (labels.length < 2) return false;
  return labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u.test(label));
}
