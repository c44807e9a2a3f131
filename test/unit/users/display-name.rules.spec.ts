import { describe, expect, it } from '@jest/globals';
import { cleanDisplayName, judgeDisplayName } from '../../../src/users/display-name.rules.js';

describe('cleanDisplayName', () => {
  it('keeps one line of at most 200 characters', () => {
    expect(cleanDisplayName(' Ada\r\n\tLovelace\u2028 ')).toBe('Ada Lovelace');
    expect(cleanDisplayName('a\0b\u001b[31m')).toBe('a b [31m');
    expect([...cleanDisplayName('\u{1f469}'.repeat(300))!]).toHaveLength(200);
    expect(cleanDisplayName(' \n ')).toBeNull();
    expect(cleanDisplayName(null)).toBeNull();
  });

  it.each(['\u202e', '\u202a', '\u202c', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c'])(
    'removes %j, which changes the direction of text',
    (mark) => {
      expect(cleanDisplayName(`Ada${mark}Lovelace`)).toBe('Ada Lovelace');
      expect(cleanDisplayName(mark)).toBeNull();
    },
  );

  it.each(['\u{1f469}\u200d\u{1f680}', 'می\u200cخواهم', "Renée O'Connor-Łukasz", '山田 太郎', 'مريم'])(
    'keeps %j',
    (name) => {
      expect(cleanDisplayName(name)).toBe(name);
    },
  );
});

describe('judgeDisplayName', () => {
  it('counts characters, not UTF-16 units, and requires one that can be shown', () => {
    expect(judgeDisplayName('\u{1f469}'.repeat(200))).toBe('ok');
    expect(judgeDisplayName('\u{1f469}'.repeat(201))).toBe('too_long');
    for (const empty of ['', ' ', '\u202e']) expect(judgeDisplayName(empty)).toBe('missing');
  });
});
