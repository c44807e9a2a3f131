/** Digits and signs that users write instead of a letter; both readings of `1` give the same letter. */
const LETTER_FOR: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  l: 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};
const MIN_STEM_LENGTH = 4;
const MAX_TAIL_LENGTH = 4;

/** Upper case and full-width letters do not make a password harder to guess. */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Normalized form: the same for `Passw0rd`, `p@$$word` and `password`. */
export function foldSpelling(text: string): string {
  return foldCase(text).replace(/[@431!|l05$7]/g, (character) => LETTER_FOR[character]!);
}

/** The normalized password, with and without up to four digits or signs at its end (`Password2024!`). */
export function spellingsOf(password: string): string[] {
  const characters = [...foldCase(password)];
  const tail = characters.toReversed().findIndex((character) => /\p{L}/u.test(character));
  const longest = Math.min(tail, MAX_TAIL_LENGTH, characters.length - MIN_STEM_LENGTH);
  const lengths = Array.from({ length: Math.max(0, longest) + 1 }, (_, cut) => characters.length - cut);
  return lengths.map((length) => foldSpelling(characters.slice(0, length).join('')));
}
