import { describe, expect, it } from '@jest/globals';
import { judgeLogoutAnswer } from '../../../../src/tokens/logout/logout-answer.rules.js';

describe('App’s answer to a logout token', () => {
  it.each([
    [200, 'received'],
    [204, 'received'],
    [301, 'refused'],
    [400, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [408, 'again'],
    [429, 'again'],
    [500, 'again'],
    [503, 'again'],
  ] as const)('%d means %s', (status, verdict) => {
    expect(judgeLogoutAnswer(status)).toBe(verdict);
  });
});
