import { describe, expect, it } from '@jest/globals';
import { foldSpelling, spellingsOf } from '../../../../src/users/passwords/password-spellings.rules.js';

// security 3
describe('Spellings of a password', () => {
  it.each(['password', 'PASSWORD', 'P@ssw0rd', 'pa$$word', 'p4s5w0rd', 'ｐａｓｓｗｏｒｄ'])(
    'are one for lower case, upper case, full-width letters and signs for letters: %s',
    (password) => expect(foldSpelling(password)).toBe('password'),
  );

  it('include 1 as i and as l', () => {
    expect(['1ittle', 'l1ttle', 'little', '!itt|e', 'Li77l3'].map(foldSpelling)).toEqual(Array(5).fill('iittie'));
  });

  it.each([
    ['monkey', ['monkey']],
    ['Monkey7', ['monkeyt', 'monkey']],
    ['monkey24!', ['monkey2ai', 'monkey2a', 'monkey2', 'monkey']],
    ['monkey-2024', ['monkey-2o2a', 'monkey-2o2', 'monkey-2o', 'monkey-2', 'monkey-']],
    ['love2024', ['iove2o2a', 'iove2o2', 'iove2o', 'iove2', 'iove']],
    ['joe2024!', ['joe2o2ai', 'joe2o2a', 'joe2o2', 'joe2o', 'joe2']],
    ['12345678', ['i2eas6t8']],
    ['', ['']],
    ['日本語2024', ['日本語2o2a', '日本語2o2', '日本語2o', '日本語2']],
  ])('of %s omit up to four trailing digits and signs, and keep four characters', (password, spellings) => {
    expect(spellingsOf(password)).toEqual(spellings);
  });
});
