import { describe, expect, it } from '@jest/globals';
import { guessableWords, judgeWeakness, strictestWeakPolicy } from '../../../src/users/weak-password.rules.js';

const COMMON = new Set(['password1', '12345678', 'iloveyou']);

// security 3
describe('a weak password', () => {
  it.each(['password1', 'PassWord1', '12345678', 'ｐａｓｓｗｏｒｄ１'])(
    'is a common one, however spelled: %s',
    (password) => {
      expect(judgeWeakness(password, COMMON, [])).toBe('common');
    },
  );

  it.each(['password1!', 'mypassword1', 'i love you'])(
    'is not one that a common one is only a part of: %s',
    (password) => {
      expect(judgeWeakness(password, COMMON, [])).toBeNull();
    },
  );

  it.each(['xxadaxLovelacexx', 'ada.lovelace2026', 'ADA.LOVELACE', 'the-acme gmbh-key', 'Notes4everyone'])(
    'is one with a name that everybody knows: %s',
    (password) => {
      const words = guessableWords('Ada.Lovelace@example.com', ['Acme GmbH', 'Notes']);
      expect(judgeWeakness(password, COMMON, words)).toBe(password.startsWith('xx') ? null : 'context');
    },
  );

  it('is called common where it is both', () => {
    expect(judgeWeakness('iloveyou', COMMON, ['love'])).toBe('common');
  });
});

// security 3
describe('the words that an attacker tries', () => {
  it('are the local part and the names, folded and trimmed', () => {
    expect(guessableWords('Ada+Work@Example.com', [' ACME ', 'Ｎｏｔｅｓ'])).toEqual(['ada+work', 'acme', 'notes']);
  });

  it('have four characters or more, of whatever script', () => {
    expect(guessableWords('ada@example.com', ['App', '🔑🔑🔑', '日本語版', ''])).toEqual(['日本語版']);
  });

  it('never are the domain, or what is no address', () => {
    expect(guessableWords('@example.com', [])).toEqual([]);
    expect(guessableWords('"a@b"@example.com', [])).toEqual(['"a@b"']);
    expect(guessableWords('nobody', [])).toEqual([]);
  });
});

// security 3
describe('the policy that counts', () => {
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
