const TONES = 6;
const GRAPHEMES = new Intl.Segmenter();

/** `Šárka Hrdličková` → `ŠH`, `ada.byron@example.com` → `AB`: the first letters of the first and the last word. */
export function initials(name: string): string {
  const isAddress = /^\S+@\S+$/.test(name);
  const words = isAddress ? name.replace(/@.*/, '').split(/[._+-]/) : name.split(/\s+/u);
  const [first = '·', ...others] = words.map(firstLetter).filter(Boolean);
  return `${first}${others.at(-1) ?? ''}`;
}

/** A number from 1 to 6 that depends on the name only. */
export function avatarTone(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 65_521;
  return (sum % TONES) + 1;
}

/** The first letter or digit, as a whole grapheme; empty if there is none. */
export function firstLetter(text: string): string {
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (/[\p{L}\p{N}]/u.test(segment)) return segment.toLocaleUpperCase('en');
  }
  return '';
}
