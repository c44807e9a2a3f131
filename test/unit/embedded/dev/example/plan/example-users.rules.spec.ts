import { describe, expect, it } from '@jest/globals';
import { readEmail } from '../../../../../../src/common/validation/email.rules.js';
import { exampleUsers } from '../../../../../../src/embedded/dev/example/plan/example-users.rules.js';
import { cleanDisplayName } from '../../../../../../src/users/display-name.rules.js';

const NOW = new Date('2026-11-01T12:00:00Z');

describe('Users of the example data', () => {
  const users = exampleUsers(NOW);

  it('are 300 with different addresses, and the same at each call', () => {
    expect(new Set(users.map(({ email }) => readEmail(email)?.canonical)).size).toBe(300);
    expect(exampleUsers(NOW)).toEqual(users);
  });

  it('have names that the service takes as they are, in at least ten kinds of writing', () => {
    for (const { displayName } of users) expect(cleanDisplayName(displayName)).toBe(displayName);
    const scripts = [
      'Latin',
      'Arabic',
      'Han',
      'Hiragana',
      'Hangul',
      'Cyrillic',
      'Greek',
      'Hebrew',
      'Devanagari',
      'Thai',
    ];
    for (const script of scripts) {
      const written = new RegExp(`\\p{Script=${script}}`, 'u');
      expect([script, users.some(({ displayName }) => written.test(displayName))]).toEqual([script, true]);
    }
  });

  it('sign in after they joined and at least five minutes ago, at whatever time of the day you look', () => {
    for (let minutes = 0; minutes < 24 * 60; minutes += 10) {
      const now = new Date(NOW.getTime() + minutes * 60_000);
      const early = exampleUsers(now).flatMap(({ memberships, signIns }) =>
        signIns.filter(({ bundleId, at }) => {
          const { since } = memberships.find((membership) => membership.bundleId === bundleId)!;
          return at <= since || at.getTime() > now.getTime() - 5 * 60_000;
        }),
      );
      expect([now, early]).toEqual([now, []]);
    }
  });
});
