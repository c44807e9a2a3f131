import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { roomFor } from '../../../src/push/lanes/lane.rules.js';

const OPTIONS = { perApp: 32, total: 1_024 };

describe('roomFor', () => {
  it('gives a lone app its whole lane', () => {
    expect(roomFor({ lane: 0, all: 0 }, OPTIONS)).toBe(32);
    expect(roomFor({ lane: 30, all: 30 }, OPTIONS)).toBe(2);
    expect(roomFor({ lane: 32, all: 32 }, OPTIONS)).toBe(0);
  });

  it('gives nothing where the process is full', () => {
    expect(roomFor({ lane: 0, all: 1_024 }, OPTIONS)).toBe(0);
  });

  it('leaves room for a newcomer while a hundred apps hang', () => {
    const hanging = new Map<number, number>();
    const all = (): number => [...hanging.values()].reduce((sum, each) => sum + each, 0);
    for (let app = 0; app < 100; app++) hanging.set(app, roomFor({ lane: 0, all: all() }, OPTIONS));
    expect(roomFor({ lane: 0, all: all() }, OPTIONS)).toBeGreaterThan(0);
  });

  it('never lets a lane or the process hold more than its bound', () => {
    const bound = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(bound, bound, fc.nat(600), fc.nat(600), (perApp, total, lane, others) => {
        const room = roomFor({ lane, all: lane + others }, { perApp, total });
        return room >= 0 && (room === 0 || (lane + room <= perApp && lane + others + room <= total));
      }),
    );
  });
});
