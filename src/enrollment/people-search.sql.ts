import { foldedEmail, judgeEmail } from '../common/validation/email.rules.js';
import { addressHolds } from '../database/address-search.sql.js';
import { literally } from '../database/literally.js';
import type { Bind } from '../database/query.js';

/** Shorter beginnings are shared by all accounts of some months: ids begin with the time. */
const ID_BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;
/** Of an id, for the first and the last one with a beginning. */
const [LOWEST, HIGHEST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
const MAX_WORDS = 8;

/**
 * Whether a search finds the user `u`: the address contains the text, or every word of the text begins a word of the name,
 * or the id begins with it. A whole address is a beginning: a search for ada@example.com does not mean canada@example.com.
 * Each part has an index, and the planner joins what they find.
 */
export function matchesSearch(typed: string, bind: Bind): string {
  const text = foldedEmail(typed);
  if (judgeEmail(text) === 'ok') return `u.email_canonical LIKE ${bind(`${literally(text)}%`)}`;
  const parts = [addressHolds('u.email_canonical', text, bind), nameHolds(typed, bind), idBegins(text, bind)].filter(
    (part) => part !== null,
  );
  return parts.length > 0 ? `(${parts.join(' OR ')})` : 'false';
}

/** The database folds the words as it folds the names. Null for a text without a word, and for the rest of an address. */
function nameHolds(typed: string, bind: Bind): string | null {
  const words = typed.includes('@') ? [] : typed.split(/[\s\p{P}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return null;
  // Folding leaves no `%`, `_` or `\` in a word: they are punctuation.
  const each = words
    .slice(0, MAX_WORDS)
    .map((word) => `searchable_name(u.display_name) LIKE '%' || searchable_name(${bind(word)}) || '%'`);
  return `(${each.join(' AND ')})`;
}

function idBegins(text: string, bind: Bind): string | null {
  if (!ID_BEGINNING.test(text)) return null;
  const digits = text.replaceAll('-', '');
  const filled = (rest: string) => withDashes(digits + rest.replaceAll('-', '').slice(digits.length));
  return `u.id BETWEEN ${bind(filled(LOWEST))}::uuid AND ${bind(filled(HIGHEST))}::uuid`;
}

function withDashes(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
