import { type Message, message } from '../i18n/message.js';

/**
 * An address that is accepted. What is stored, shown and mailed is `typed`; what is compared and unique is `canonical`.
 */
export interface EmailAddress {
  /** Without outer blanks; the letter case is as it was typed. */
  readonly typed: string;
  /** The same in lower case, and nothing else. */
  readonly canonical: string;
}

export type EmailVerdict =
  | 'ok'
  /** Not the shape of an address. */
  | 'malformed'
  /** It has the shape, but looks like an address that it is not: the mail would go to another mailbox. */
  | 'deceptive';

/**
 * The one judgement of every address that enters, whichever way: null where it is refused. Two accepted addresses with
 * the same canonical form differ in letter case only, so a look-alike never matches another user's address.
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

/** What a form says about an address that is not accepted; null where there is nothing to say. */
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
 * The form that searches compare: look-alikes and invisible characters folded into the plain address (NFKC, lower case).
 * It also finds rows from before such addresses were refused. Never the key of a new address.
 */
export function foldedEmail(text: string): string {
  return withoutInvisible(withoutInvisible(text).normalize('NFKC').toLowerCase().normalize('NFKC')).trim();
}

const MAX_TYPED_LENGTH = 1000;
const MAX_LENGTH = 254;
/** Formatting and bidirectional controls, and what is not drawn at all. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * Nothing in it is invisible, and neither compatibility characters (NFKC) nor letter case make another address of it.
 */
function isWhatItLooksLike(text: string): boolean {
  const typed = text.trim();
  const canonical = typed.toLowerCase();
  return (
    withoutInvisible(text) === text &&
    typed.normalize('NFKC') === typed &&
    canonical.normalize('NFKC') === canonical &&
    // Of all letters one only becomes two in lower case (U+0130), so that `i` with a dot above is not an `i`.
    [...canonical].length === [...typed].length
  );
}

/** Bounds: RFC 5321 (64 + 1 + 255, 254 in all); one @, no list or header characters. */
function isWellFormed(email: string): boolean {
  if (email.length > MAX_LENGTH) return false;
  const match = /^([^@]{1,64})@([^@]{1,253})$/u.exec(email);
  if (!match) return false;
  const [, local, domain] = match;
  // Commas, semicolons, quotes, brackets, blanks and control characters have turned one recipient into two elsewhere.
  if (/[\s,;:"'`()<>[\]\\|\p{Cc}\p{Cs}\p{Zs}]/u.test(email)) return false;
  if (local!.startsWith('.') || local!.endsWith('.') || local!.includes('..')) return false;
  const labels = domain!.split('.');
  if (labels.length < 2) return false;
  return labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u.test(label));
}
