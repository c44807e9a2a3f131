import { describe, expect, it } from '@jest/globals';
import { keyStates } from '../../../../src/console/keys/key-state.rules.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const at = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const key = (activates: number, retires: number | null = null) => ({
  kid: `from ${activates}`,
  createdAt: at(activates - 1),
  activatesAt: at(activates),
  retiresAt: retires === null ? null : at(retires),
});

describe('States of signing keys', () => {
  it('describe a single key', () => {
    expect(keyStates([key(-5)], NOW)).toEqual([{ name: 'signing', until: null }]);
  });

  it('describe one that signs until the next does', () => {
    expect(keyStates([key(-5, 25), key(1)], NOW)).toEqual([
      { name: 'signing', until: at(1) },
      { name: 'published', until: at(1) },
    ]);
  });

  it('describe one that still verifies its tokens', () => {
    expect(keyStates([key(-50, 3), key(-5, 30), key(0.5, 31), key(0.8)], NOW)).toEqual([
      { name: 'retired', until: at(3) },
      { name: 'signing', until: at(0.5) },
      { name: 'published', until: at(0.5) },
      { name: 'published', until: at(0.8) },
    ]);
  });

  it('start exactly at their time, not after it', () => {
    expect(keyStates([key(-5, 25), key(0)], NOW).map(({ name }) => name)).toEqual(['retired', 'signing']);
  });

  it('name a single key as signing even before its time', () => {
    expect(keyStates([key(0.001)], NOW)).toEqual([{ name: 'signing', until: null }]);
  });

  it('are empty without keys', () => {
    expect(keyStates([], NOW)).toEqual([]);
  });
});
