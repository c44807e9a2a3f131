import { expect, it } from '@jest/globals';
import { judgePassword } from '../../../../src/users/passwords/password.rules.js';

it.each([
  ['', 'too_short'],
  ['x', 'ok'],
  ['\u{1f469}'.repeat(256), 'ok'],
  ['x'.repeat(257), 'too_long'],
  ['abc\0def', 'too_long'],
])('judgePassword(%j) returns %s', (password, verdict) => {
  expect(judgePassword(password)).toBe(verdict);
});

it('judgePassword counts characters for the minimum, not UTF-16 units', () => {
  expect(judgePassword('\u{1f469}'.repeat(7), 8)).toBe('too_short');
  expect(judgePassword('\u{1f469}'.repeat(8), 8)).toBe('ok');
});
