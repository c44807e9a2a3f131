/** Spellings of an address that holds `n`, `s` and `fi` which look like it and are others. */
export const DECEPTIVE_SPELLINGS: readonly (readonly [what: string, spell: (address: string) => string])[] = [
  ['a zero-width space', (address) => address.replace('fi', 'f\u200bi')],
  ['a zero-width joiner', (address) => address.replace('fi', 'f\u200di')],
  ['a soft hyphen', (address) => address.replace('@', '\u00ad@')],
  ['a byte order mark', (address) => `\ufeff${address}`],
  ['a bidirectional override', (address) => address.replace('fi', 'f\u202ei')],
  ['a bidirectional mark', (address) => address.replace('fi', 'f\u200fi')],
  ['a combining grapheme joiner', (address) => address.replace('fi', 'f\u034fi')],
  ['a full-width letter', (address) => address.replace('n', '\uff4e')],
  ['a ligature', (address) => address.replace('fi', '\ufb01')],
  ['a long s', (address) => address.replace('s', '\u017f')],
];
