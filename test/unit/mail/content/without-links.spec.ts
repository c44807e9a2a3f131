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
});
