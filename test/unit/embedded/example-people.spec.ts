import { describe, expect, it } from '@jest/globals';
import { readEmail } from '../../../src/common/validation/email.rules.js';
import { examplePeople } from '../../../src/embedded/dev/example/example-people.rules.js';
import { cleanDisplayName } from '../../../src/users/display-name.rules.js';

const NOW = new Date('2026-11-01T12:00:00Z');

describe('People of the example data', () => {
  const people = examplePeople(NOW);

  it('are 300 with different addresses, and the same at each call', () => {
    expect(new Set(people.map(({ email }) => readEmail(email)?.canonical)).size).toBe(300);
    expect(examplePeople(NOW)).toEqual(people);
  });

  it('have names that the service takes as they are, in at least ten kinds of writing', () => {
    for (const { displayName } of people) expect(cleanDisplayName(displayName)).toBe(displayName);
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
      expect([script, people.some(({ displayName }) => written.test(displayName))]).toEqual([script, true]);
    }
  });

  it('sign in after they joined, and never in the future', () => {
    for (const { memberships, signIns } of people) {
      for (const { bundleId, at } of signIns) {
        const { since } = memberships.find((membership) => membership.bundleId === bundleId)!;
        expect(at > since && at <= NOW).toBe(true);
      }
    }
  });
});
