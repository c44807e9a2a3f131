import { foldedEmail, judgeEmail } from '../../common/validation/email.rules.js';
import { addressHolds } from '../../database/queries/address-search.sql.js';
import { literally } from '../../database/queries/literally.js';
import { type Bind, parameters, type Query } from '../../database/queries/query.js';

/** Shorter beginnings are shared by all accounts of some months: ids begin with the time. */
const ID_BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;
/** Of an id, for the first and the last one with a beginning. */
const [LOWEST, HIGHEST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
const MAX_WORDS = 8;
/** A word has trigrams for the address as well. */
const LONG_WORD = 3;

/**
 * Whether a search finds the user `u`: the address contains the text, or every word of the text begins a word of the name,
 * or the id begins with it. A whole address is a beginning: a search for ada@example.com does not mean canada@example.com.
 * Each part has an index, and the planner joins what they find.
 * @param named those whose names fit, if they are known: see {@link namedQuery}
 */
export function matchesSearch(typed: string, bind: Bind, named?: readonly string[]): string {
  const text = foldedEmail(typed);
  if (judgeEmail(text) === 'ok') return `u.email_canonical LIKE ${bind(`${literally(text)}%`)}`;
  const parts = [
    addressHolds('u.email_canonical', text, bind),
    named ? `u.id = ANY(${bind(named)}::uuid[])` : nameHolds(typed, bind),
    idBegins(text, bind),
  ].filter((part) => part !== null);
  return parts.length > 0 ? `(${parts.join(' OR ')})` : 'false';
}

/**
 * The ids of at most `most` users whose names fit, from the index alone. Null where the planner finds them as well: it knows how
 * common one word is, but not whether several meet in one name, nor what a short word costs in addresses.
 */
export function namedQuery(typed: string, most: number): Query | null {
  const words = wordsOf(typed);
  if (words.length === 0 || (words.length === 1 && words[0]!.length >= LONG_WORD)) return null;
  const { bind, values } = parameters();
  return { text: `SELECT id FROM users_named(${bind(words)}::text[], ${bind(most)}) AS id`, values };
}

/** The database folds the words as it folds the names. Null for a text without a word. */
function nameHolds(typed: string, bind: Bind): string | null {
  const words = wordsOf(typed);
  if (words.length === 0) return null;
  // Folding leaves no `%`, `_` or `\` in a word: they are punctuation.
  const each = words.map((word) => `searchable_name(u.display_name) LIKE '%' || searchable_name(${bind(word)}) || '%'`);
  return `(${each.join(' AND ')})`;
}

/** Of a name; none in an address. */
function wordsOf(typed: string): string[] {
  if (typed.includes('@')) return [];
  return typed
    .split(/[\s\p{P}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_WORDS);
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
