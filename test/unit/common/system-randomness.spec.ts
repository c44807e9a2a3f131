import { describe, expect, it } from '@jest/globals';
import { SystemRandomness } from '../../../src/common/system-randomness.js';

describe('SystemRandomness', () => {
  it('makes UUIDs of version 7 that ascend and never repeat', () => {
    const randomness = new SystemRandomness();
    const made = Array.from({ length: 20_000 }, () => randomness.uuid());
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it('puts the time into the first 48 bits (RFC 9562 section 5.7)', () => {
    const before = Date.now();
    const uuid = new SystemRandomness().uuid();
    const milliseconds = parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
    expect(milliseconds).toBeGreaterThanOrEqual(before);
    expect(milliseconds).toBeLessThanOrEqual(Date.now());
  });

  it('gives random bits of their own to each UUID and each process', () => {
    const tails = [new SystemRandomness(), new SystemRandomness()].flatMap((randomness) =>
      Array.from({ length: 1_000 }, () => randomness.uuid().slice(-10)),
    );
    expect(new Set(tails).size).toBe(tails.length);
  });
});
