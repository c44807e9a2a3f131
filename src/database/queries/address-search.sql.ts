import { literally } from './literally.js';
import type { BindParameter } from './query.js';

/** Number of letters of a search text that are looked up in the trigram index. */
const INDEXED = 6;
/** Parts of a text that contain trigrams. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/**
 * SQL condition: the address, in lower case, contains the text. Null for a text with a blank, which no address
 * contains. The trigram index looks up each group of three letters separately and gets slower with more of them, so
 * only a few are looked up, and the rest is compared.
 * @param column SQL, as in the trigram index
 */
export function addressHolds(column: string, text: string, bind: BindParameter): string | null {
  if (/\s/u.test(text)) return null;
  const telling = tellingPart(text);
  const indexed = `${column} LIKE ${bind(`%${literally(telling)}%`)}`;
  return telling === text ? indexed : `(${indexed} AND strpos(${column}, ${bind(text)}) > 0)`;
}

/**
 * The last {@link INDEXED} letters of the longest word, preferably of the part before the `@`, because many addresses
 * share a domain and few share a name.
 */
function tellingPart(text: string): string {
  const [local] = text.split('@', 1);
  const words = local!.match(WORD) ?? text.match(WORD) ?? [text];
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
  return [...longest].slice(-INDEXED).join('');
}
