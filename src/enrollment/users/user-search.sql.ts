import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import { foldedEmail, judgeEmail } from '../../common/validation/email.rules.js';
import { addressHolds } from '../../database/queries/address-search.sql.js';
import { literally } from '../../database/queries/literally.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';

/** Shorter prefixes are shared by all accounts of several months, because ids begin with the time. */
const ID_BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;
/** Completes a prefix to the first and the last id with it. */
const [LOWEST, HIGHEST] = [NIL_UUID, 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
const MAX_WORDS = 8;
/** Minimum length of a word with trigrams, for which the index of addresses helps as well. */
const LONG_WORD = 3;

/**
 * SQL condition: the search finds the user `u`. The address contains the text, or every word of the text is the
 * beginning of a word of the name, or the id begins with the text. A whole address must match from its beginning: a
 * search for ada@example.com does not find canada@example.com. Each part has an index, and the planner combines their
 * results.
 * @param named users with a matching name, if they are known: see {@link namedQuery}
 */
export function matchesSearch(typed: string, bind: BindParameter, named?: readonly string[]): string {
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
 * The ids of at most `most` users with a matching name, from the index alone. Null if the planner can find them as
 * well: it knows how frequent a single word is, but not how often several occur in one name, nor what a short word
 * costs in addresses.
 */
export function namedQuery(typed: string, most: number): Query | null {
  const words = wordsOf(typed);
  if (words.length === 0 || (words.length === 1 && words[0]!.length >= LONG_WORD)) return null;
  const { bind, values } = parameters();
  return { text: `SELECT id FROM users_named(${bind(words)}::text[], ${bind(most)}) AS id`, values };
}

/** The database folds the words in the same way as the names. Null for a text without words. */
function nameHolds(typed: string, bind: BindParameter): string | null {
  const words = wordsOf(typed);
  if (words.length === 0) return null;
  // Words contain no `%`, `_` or `\` after folding, because these are punctuation.
  const each = words.map((word) => `searchable_name(u.display_name) LIKE '%' || searchable_name(${bind(word)}) || '%'`);
  return `(${each.join(' AND ')})`;
}

/** The words of a name; none for an address. */
function wordsOf(typed: string): string[] {
  if (typed.includes('@')) return [];
  return typed
    .split(/[\s\p{P}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_WORDS);
}

function idBegins(text: string, bind: BindParameter): string | null {
  if (!ID_BEGINNING.test(text)) return null;
  const digits = text.replaceAll('-', '');
  const filled = (rest: string) => withDashes(digits + rest.replaceAll('-', '').slice(digits.length));
  return `u.id BETWEEN ${bind(filled(LOWEST))}::uuid AND ${bind(filled(HIGHEST))}::uuid`;
}

function withDashes(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
