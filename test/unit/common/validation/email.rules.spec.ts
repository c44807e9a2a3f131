import { describe, expect, it } from '@jest/globals';
import { Messages } from '../../../../src/common/i18n/messages.js';
import { emailAdvice, foldedEmail, judgeEmail, readEmail } from '../../../../src/common/validation/email.rules.js';
import { DECEPTIVE_SPELLINGS } from '../../../support/deceptive-addresses.js';
import fc from '../../../support/fast-check.js';

const PLAIN = 'nifi.smith@example.com';
const messages = new Messages();
const adviceOn = (address: string) => messages.text('en', emailAdvice(address)!);

describe('Email address', () => {
  it.each(DECEPTIVE_SPELLINGS)('with %s is rejected as deceptive', (_what, spell) => {
    expect(judgeEmail(spell(PLAIN))).toBe('deceptive');
    expect(readEmail(spell(PLAIN))).toBeNull();
    expect(adviceOn(spell(PLAIN))).toContain('invisible or only look like letters');
  });

  it.each([
    ['a Kelvin sign for K', '\u212aelvin@example.com'],
    ['a dotted capital I, which is two characters in lower case', '\u0130smail@example.com'],
    ['a decomposed letter', 'u\u0308@example.com'],
    ['a capital whose lower case would be composed', 'J\u030cane@example.com'],
    ['an Arabic number sign, which formats', '\u0600a@example.com'],
    ['a variation selector', 'a\ufe0f@example.com'],
    ['a Hangul filler', 'a\u115f@example.com'],
    ['a soft hyphen in the domain', 'a@exam\u00adple.com'],
    ['a language tag', 'a\u{e0041}@example.com'],
    ['a full-width at sign', 'a\uff20example.com'],
  ])('with %s is rejected as deceptive', (_what, address) => {
    expect(judgeEmail(address)).toBe('deceptive');
  });

  it.each([
    'ada',
    'ada@example',
    'ada@@example.com',
    'a b@example.com',
    'a,b@example.com',
    'a@example.com\nBcc: b@example.com',
    'a..b@example.com',
    '.a@example.com',
    'a@-example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(126)}com`,
    'x'.repeat(2000),
  ])('%j is rejected as malformed', (address) => {
    expect(judgeEmail(address)).toBe('malformed');
    expect(adviceOn(address)).toBe('Enter a complete e-mail address.');
  });

  it('keeps its letter case for display and loses only surrounding blanks', () => {
    expect(readEmail('  Ada.Lovelace@Example.COM\t')).toEqual({
      typed: 'Ada.Lovelace@Example.COM',
      canonical: 'ada.lovelace@example.com',
    });
    expect(readEmail('Имя@Пример.рф')).toEqual({ typed: 'Имя@Пример.рф', canonical: 'имя@пример.рф' });
    expect(emailAdvice('ä@ü.example')).toBeNull();
  });

  it('in a search has its look-alikes folded', () => {
    for (const [, spell] of DECEPTIVE_SPELLINGS) expect(foldedEmail(spell(PLAIN))).toBe(PLAIN);
  });

  it('is stored in its canonical form, which stays valid, in any Unicode', () => {
    let accepted = 0;
    fc.assert(
      fc.property(addresses, (text) => {
        const address = readEmail(text);
        if (!address) return;
        accepted++;
        const { typed, canonical } = address;
        expect(typed).toBe(text.trim());
        expect(typed.toLowerCase()).toBe(canonical);
        expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
        expect([typed.normalize('NFKC'), canonical.normalize('NFKC')]).toEqual([typed, canonical]);
        expect(foldedEmail(text)).toBe(canonical);
        expect(readEmail(typed)).toEqual(address);
        expect(readEmail(canonical)).toEqual({ typed: canonical, canonical });
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(2000);
  });

  it('shares its canonical form only with addresses that differ in letter case', () => {
    let alike = 0;
    fc.assert(
      fc.property(addresses, fc.func(fc.constantFrom(...CHANGES)), (text, change) => {
        const other = [...text].map((letter) => change(letter)(letter)).join('');
        const [one, two] = [readEmail(text), readEmail(other)];
        if (!one || one.canonical !== two?.canonical) return;
        alike++;
        const letters = [...two.typed];
        expect(letters).toHaveLength([...one.typed].length);
        for (const [index, letter] of [...one.typed].entries()) {
          const same = letter === letters[index];
          // Simple case folding, letter by letter (Unicode, CaseFolding.txt).
          expect(same || new RegExp(`^${letter}$`, 'iu').test(letters[index]!)).toBe(true);
        }
      }),
      { numRuns: 20_000 },
    );
    expect(alike).toBeGreaterThan(500);
  });
});

/** Letters of all kinds, and more often than by chance those that Unicode folds into others or does not draw. */
const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcXYZ019._+-äÖßпЖςΣ') },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['\u200b', '\u202e', '\u017f', '\uff41', '\ufb01', '\u00ad', '\ufeff', '\u212a', '\u0130', '\u0307', '\u034f'],
    ),
  },
);
const part = fc.array(character, { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
const addresses = fc
  .tuple(fc.constantFrom('', '', ' ', '\u00a0', '\ufeff'), part, part)
  .map(([blank, local, domain]) => `${blank}${local}@${domain}.com${blank}`);

const CHANGES = [
  (letter: string) => letter,
  (letter: string) => letter.toUpperCase(),
  (letter: string) => letter.toLowerCase(),
  (letter: string) => letter.normalize('NFKD'),
  (letter: string) => `${letter}\u200b`,
  (letter: string) => (letter === 's' ? '\u017f' : letter),
];
