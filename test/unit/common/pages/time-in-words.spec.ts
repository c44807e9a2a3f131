import { describe, expect, it } from '@jest/globals';
import { Messages } from '../../../../src/common/i18n/messages.js';
import { momentInWords, timeInWords } from '../../../../src/common/pages/time-in-words.js';

describe('Deadline in words', () => {
  it('is the day and the time with the time zone', () => {
    const { words, iso, utc } = momentInWords(new Date('2026-12-02T23:30:15Z'));
    expect(new Messages().text('en', words)).toMatch(/^2 December 2026(,| at) 23:30 UTC$/);
    expect([iso, utc]).toEqual(['2026-12-02T23:30:15.000Z', 'Wed, 02 Dec 2026 23:30:15 GMT']);
  });
});

describe('Relative time in words', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  const messages = new Messages();
  const ago = (seconds: number) =>
    messages.text('en', timeInWords(new Date(now.getTime() - seconds * 1000), now).words);

  it.each([
    [-40 * 86_400, '31 December 2026'],
    [-2 * 86_400, 'in 2 days'],
    [-3_600, 'in 1 hour'],
    [-600, 'in 10 minutes'],
    [-5, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [3_599, '59 minutes ago'],
    [3_600, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [29.9 * 86_400, '29 days ago'],
    [30 * 86_400, '22 October 2026'],
  ])('for %p seconds ago is "%s"', (seconds, words) => {
    expect(ago(seconds)).toBe(words);
  });

  it('has the exact time beside it', () => {
    expect(timeInWords(now, now)).toMatchObject({
      iso: '2026-11-21T12:00:00.000Z',
      utc: 'Sat, 21 Nov 2026 12:00:00 GMT',
    });
  });
});
