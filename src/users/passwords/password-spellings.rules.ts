/** Digits and signs that users write for a letter; both readings of `1` give the same letter. */
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
const SHORTEST_STEM = 4;
const LONGEST_TAIL = 4;

/** Capitals and full-width letters make nothing harder to guess. */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The normalised spelling: the same for `Passw0rd`, `p@$$word` and `password`. */
export function foldSpelling(text: string): string {
  return foldCase(text).replace(/[@431!|l05$7]/g, (character) => LETTER_FOR[character]!);
}

/** A password as it is and without up to four digits or signs at its end (`Password2024!`), all of them folded. */
export function spellingsOf(password: string): string[] {
  const characters = [...foldCase(password)];
  const tail = characters.toReversed().findIndex((character) => /\p{L}/u.test(character));
  const longest = Math.min(tail, LONGEST_TAIL, characters.length - SHORTEST_STEM);
  const lengths = Array.from({ length: Math.max(0, longest) + 1 }, (_, cut) => characters.length - cut);
  return lengths.map((length) => foldSpelling(characters.slice(0, length).join('')));
}
