import { describe, expect, it } from '@jest/globals';
import { withoutLinks } from '../../../../src/mail/content/without-links.js';

describe('A name in a mail', () => {
  it.each(['evil.example', 'https://evil', 'a@b', 'evil\u3002example', 'evil\uff0eexample', 'evil\uff61example'])(
    'is broken where a mail program would make a link of it: %s',
    (name) => {
      const broken = withoutLinks(name);
      expect(broken.replaceAll('\u200b', '')).toBe(name);
      for (const sign of ['.', '@', '\u3002', '\uff0e', '\uff61', ':'])
        if (name.includes(sign)) expect(broken).toContain(`${sign}\u200b`);
    },
  );

  it.each(['\r\n', '\t', '\u000b', '\u000c', '\u001b', '\u0085', '\u2028', '\u2029', '\u200f', '\u202e', '\u2066'])(
    'is one line in the order in which it was written: %j',
    (sign) => expect(withoutLinks(`${sign}Acme${sign}${sign}Bank${sign}`)).toBe('Acme Bank'),
  );
});
