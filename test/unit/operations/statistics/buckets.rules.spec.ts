import { describe, expect, it } from '@jest/globals';
import {
  bucketOf,
  lastBuckets,
  periodsToCount,
  type Unit,
} from '../../../../src/operations/statistics/buckets.rules.js';

const NOW = new Date('2026-03-01T00:00:30Z');

function counted(unit: Unit, lastCounted: string | null, most: number): string[] {
  return periodsToCount(unit, lastCounted, NOW, most).map(({ from }) => bucketOf(unit, from));
}

describe('Days of statistics', () => {
  it('are days in UTC, also across the ends of months', () => {
    expect(bucketOf('day', NOW)).toBe('2026-03-01');
    expect(lastBuckets('day', NOW, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(periodsToCount('day', null, NOW, 1)).toEqual([
      { from: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-03-02T00:00:00Z') },
    ]);
  });

  it('are all counted if none was counted before', () => {
    expect(counted('day', null, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('are counted again from the last counted day, which was incomplete', () => {
    expect(counted('day', '2026-02-28', 5)).toEqual(['2026-02-28', '2026-03-01']);
    expect(counted('day', '2026-03-01', 5)).toEqual(['2026-03-01']);
  });

  it('are counted no further back than a chart shows after a long stop', () => {
    expect(counted('day', '2025-01-01', 2)).toEqual(['2026-02-28', '2026-03-01']);
  });

  it('always include today, also with a clock that was set back', () => {
    expect(counted('day', '2026-03-05', 5)).toEqual(['2026-03-01']);
  });
});

describe('Hours of statistics', () => {
  it('begin on the full hour, also across midnight', () => {
    expect(lastBuckets('hour', NOW, 2)).toEqual(['2026-02-28T23:00:00.000Z', '2026-03-01T00:00:00.000Z']);
    expect(periodsToCount('hour', null, NOW, 1)).toEqual([
      { from: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-03-01T01:00:00Z') },
    ]);
  });

  it('are counted from the last counted one, which was incomplete, and always include the present one', () => {
    const [before, now] = lastBuckets('hour', NOW, 2) as [string, string];
    expect(counted('hour', null, 2)).toEqual([before, now]);
    expect(counted('hour', before, 5)).toEqual([before, now]);
    expect(counted('hour', '2020-01-01T00:00:00.000Z', 2)).toEqual([before, now]);
    expect(counted('hour', '2026-03-02T00:00:00.000Z', 2)).toEqual([now]);
  });
});
