import { describe, expect, it } from '@jest/globals';
import { capacityFor } from '../../../../src/delivery/engine/capacity.rules.js';
import fc from '../../../support/fast-check.js';

const OPTIONS = { perGroup: 32, total: 1_024, share: 1 / 32 };

describe('capacityFor', () => {
  it('gives a single app all slots', () => {
    expect(capacityFor({ group: 0, all: 0 }, OPTIONS)).toBe(32);
    expect(capacityFor({ group: 30, all: 30 }, OPTIONS)).toBe(2);
    expect(capacityFor({ group: 32, all: 32 }, OPTIONS)).toBe(0);
  });

  it('gives nothing if the process is full', () => {
    expect(capacityFor({ group: 0, all: 1_024 }, OPTIONS)).toBe(0);
  });

  it('leaves slots for a new app while a hundred apps hang', () => {
    const hanging = new Map<number, number>();
    const all = (): number => [...hanging.values()].reduce((sum, each) => sum + each, 0);
    for (let app = 0; app < 100; app++) hanging.set(app, capacityFor({ group: 0, all: all() }, OPTIONS));
    expect(capacityFor({ group: 0, all: all() }, OPTIONS)).toBeGreaterThan(0);
  });

  it('never exceeds the limit of a group or of the process', () => {
    const bound = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(bound, bound, fc.nat(600), fc.nat(600), (perGroup, total, group, others) => {
        const room = capacityFor({ group, all: group + others }, { perGroup, total, share: 1 });
        return room >= 0 && (room === 0 || (group + room <= perGroup && group + others + room <= total));
      }),
    );
  });
});
