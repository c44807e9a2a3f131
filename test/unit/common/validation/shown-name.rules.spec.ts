import { describe, expect, it } from '@jest/globals';
import { isFitForName } from '../../../../src/common/validation/shown-name.rules.js';

describe('Name of an app or a tenant', () => {
  it.each([
    ['turns the text around', 'Shop\u202epohS'],
    ['has a direction mark', 'Shop\u200f'],
    ['has a blank without a width', 'Goo\u200bgle'],
    ['has a joiner between Latin letters', 'Goo\u200dgle'],
    ['looks like nothing', '\u3164'],
    ['is an empty Braille pattern', 'A\u2800B'],
    ['has two paragraphs', 'Shop\u2029Board'],
    ['has a heap of accents', 'Re\u0301\u0301\u0301\u0301ader'],
  ])('is refused if it %s', (_, name) => {
    expect(isFitForName(name)).toBe(false);
  });

  it.each([
    ...["Bob's “Best” Shop", 'Renée & Łukasz', '山田商店。', 'مريم', 'Ναός', 'हिन्दी'],
    ...['\u{1f469}\u200d\u{1f680} Space', 'I \u2764\ufe0f Tea', 'می\u200cخواهم', 'क्\u200dष'],
  ])('may be %s', (name) => {
    expect(isFitForName(name)).toBe(true);
  });
});
