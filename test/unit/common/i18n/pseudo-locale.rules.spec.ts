import { parse } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from '@jest/globals';
import { CompiledMessage } from '../../../../src/common/i18n/compiled-message.js';
import { pseudoMessage } from '../../../../src/common/i18n/pseudo-locale.rules.js';

const shown = (text: string) => new CompiledMessage(pseudoMessage(parse(text)), 'en-XA');

describe('Pseudo-locale', () => {
  it('puts accents on every letter and brackets around the message', () => {
    expect(shown('Sign in. QUIZ & fjord, vex pwm').text({})).toMatch(/^\[[^A-Za-z]+\]$/);
    expect(shown('Sign in').text({})).toBe('[Šîĝñ îñ]');
  });

  it('keeps arguments, numbers and dates', () => {
    expect(shown('Hello {name}, {at, date, day}').text({ name: 'Ada', at: new Date('2026-03-01T23:30Z') })).toBe(
      '[Ĥéļļö Ada, 1 March 2026]',
    );
  });

  it('keeps plurals and selections, and changes the words in each', () => {
    const message = shown(
      '{count, plural, =0 {none} one {# try} other {# tries}} {who, select, me {mine} other {theirs}}',
    );
    expect(message.text({ count: 1, who: 'me' })).toBe('[1 ţŕý ɱîñé]');
    expect(message.text({ count: 1200, who: 'you' })).toBe('[1,200 ţŕîéš ţĥéîŕš]');
    expect(message.text({ count: 0, who: 'me' })).toBe('[ñöñé ɱîñé]');
  });

  it('keeps tags, and changes the words inside them', () => {
    const strong = (inner: string) => `<strong>${inner}</strong>`;
    expect(String(shown('By <strong>you, {name}</strong>').html({ name: 'Ada' }, { strong }))).toBe(
      '[Ɓý <strong>ýöû, Ada</strong>]',
    );
  });
});
