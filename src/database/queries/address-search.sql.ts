import { literally } from './literally.js';
import type { Bind } from './query.js';

/** Letters of a search that the trigram index is asked for. */
const INDEXED = 6;
/** What has trigrams of its own. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/**
 * Whether an address, in small letters, contains the text. Null for a text with a blank, which no address has. The trigram
 * index looks each three letters up by themselves and takes the longer the more there are, so it is asked for a few
 * only, and the rest is compared.
 * @param column SQL, as the trigram index has it
 */
export function addressHolds(column: string, text: string, bind: Bind): string | null {
  if (/\s/u.test(text)) return null;
  const telling = tellingPart(text);
  const indexed = `${column} LIKE ${bind(`%${literally(telling)}%`)}`;
  return telling === text ? indexed : `(${indexed} AND strpos(${column}, ${bind(text)}) > 0)`;
}

/**
 * The last {@link INDEXED} letters of the longest word: of the part before the `@` where that has one, because many
 * addresses share a domain and few share a name.
 */
function tellingPart(text: string): string {
  const [local] = text.split('@', 1);
  const words = local!.match(WORD) ?? text.match(WORD) ?? [text];
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
  return [...longest].slice(-INDEXED).join('');
}
