import { describe, expect, it } from '@jest/globals';
import { foldSpelling } from '../../../../src/users/passwords/password-spellings.rules.js';
import {
  guessableWords,
  judgeWeakness,
  strictestWeakPolicy,
} from '../../../../src/users/passwords/weak-password.rules.js';

const COMMON = new Set(['password1', '12345678', 'iloveyou', 'monkey'].map(foldSpelling));
const NO_WORDS = guessableWords('', [], null);

// security 3
describe('Weak password', () => {
  it.each([
    'password1',
    'PassWord1',
    'P@ssw0rd!',
    '12345678',
    'ｐａｓｓｗｏｒｄ１',
    'password1!',
    'Monk3y2024',
    'I1oveYou...',
  ])('is a common one in any spelling, also with a short tail of digits or signs: %s', (password) => {
    expect(judgeWeakness(password, COMMON, NO_WORDS)).toBe('common');
  });

  it.each(['password1 and more', 'mypassword1', 'i love you', 'monkey20241', '1monkey!', 'password1\u00e9'])(
    'is not one that only contains a common one: %s',
    (password) => {
      expect(judgeWeakness(password, COMMON, NO_WORDS)).toBeNull();
    },
  );

  const words = guessableWords('Ada.Lovelace@example.com', ['Acme GmbH', 'Notes'], 'Augusta Ada King');

  it.each([
    'ada.lovelace2026',
    'ADA.LOVELACE',
    'my 4d@.L0v31ac3 password',
    'the-acme gmbh-key',
    'Notes4everyone and me',
  ])('contains the user’s name: %s', (password) => {
    expect(judgeWeakness(password, COMMON, words)).toBe('context');
  });

  it.each([
    'Lovelace1843',
    'augusta-123456',
    'AugustaAdaKing!!',
    'Augusta Ada King 1815',
    'lovelace-augusta-18',
    '@ugu5ta1815',
  ])('consists of little else than common words and the name: %s', (password) => {
    expect(judgeWeakness(password, COMMON, words)).toBe('context');
  });

  it.each(['xxadaxLovelacexxmoon', 'augusta likes engines', 'kingfisher river', 'adaadaada', 'acme-difference'])(
    'is not one that is long enough without those words: %s',
    (password) => {
      expect(judgeWeakness(password, COMMON, words)).toBeNull();
    },
  );

  it('is reported as common if it is both', () => {
    expect(judgeWeakness('iloveyou', COMMON, guessableWords('love@example.com', [], null))).toBe('common');
  });
});

// security 3
describe('Words of the user that an attacker tries', () => {
  it('are the local part and the names, folded and trimmed', () => {
    expect(guessableWords('Ada+Work@Example.com', [' ACME ', 'Ｎｏｔｅｓ'], null)).toEqual({
      whole: ['ada+work', 'acme', 'notes'],
      parts: ['notes', 'work', 'acme'],
    });
  });

  it('include the single words of the name, the longest first', () => {
    expect(guessableWords('nobody', [], ' Augusta Ada  King-Noel ').parts).toEqual([
      'augusta ada  king-noel',
      'augustaadaking-noel',
      'augusta',
      'king',
      'noel',
    ]);
  });

  it('have four characters or more, in every script', () => {
    expect(guessableWords('ada@example.com', ['App', '🔑🔑🔑', '日本語版', ''], 'Bo').whole).toEqual(['日本語版']);
    expect(guessableWords('ada@example.com', ['App', '🔑🔑🔑', '日本語版', ''], 'Bo').parts).toEqual(['日本語版']);
  });

  it('never include the domain or an invalid address', () => {
    expect(guessableWords('@example.com', [], null).whole).toEqual([]);
    expect(guessableWords('"a@b"@example.com', [], null).whole).toEqual(['"a@b"']);
    expect(guessableWords('nobody', [], null).whole).toEqual([]);
  });
});

// security 3
describe('Effective weak-password policy', () => {
  it.each([
    [['off'], 'off'],
    [['off', 'off'], 'off'],
    [['off', 'warn'], 'warn'],
    [['block', 'warn', 'off'], 'block'],
    [['warn', 'block'], 'block'],
    [[], 'block'],
  ] as const)('of %p is %s', (policies, strictest) => {
    expect(strictestWeakPolicy(policies)).toBe(strictest);
  });
});
