import { expect, it } from '@jest/globals';
import { Messages } from '../../../../src/common/i18n/messages.js';
import { leftInWords, waitInEnglish, waitInWords } from '../../../../src/common/pages/durations.js';

it.each([
  [7 * 86_400, '7 days'],
  [86_400, '1 day'],
  [7 * 86_400 - 1, '7 days'],
  [6.9 * 86_400, '6 days'],
  [86_399, '1 day'],
  [82_000, '22 hours'],
  [3_600, '1 hour'],
  [3_300, '55 minutes'],
  [60, '1 minute'],
  [1, '1 minute'],
])('A lifetime of %i seconds is %s', (seconds, words) => {
  expect(new Messages().text('en', leftInWords(seconds))).toBe(words);
});

it.each([
  [1, 'a minute', '1 second'],
  [75, '2 minutes', '75 seconds'],
  [810, '14 minutes', '14 minutes'],
  [5_400, '2 hours', '2 hours'],
])('A wait of %i seconds is %s for users, and %s for operators', (seconds, forUsers, forOperators) => {
  expect([new Messages().text('en', waitInWords(seconds)), waitInEnglish(seconds)]).toEqual([forUsers, forOperators]);
});
