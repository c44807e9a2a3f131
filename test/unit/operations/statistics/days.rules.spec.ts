import { describe, expect, it } from '@jest/globals';
import { dayAfter, dayOf, daysToCount, lastDays, startOf } from '../../../../src/operations/statistics/days.rules.js';

import { hourAfter, hoursToCount, lastHours } from '../../../../src/operations/statistics/hours.rules.js';

const NOW = new Date('2026-03-01T00:00:30Z');

describe('Days of statistics', () => {
  it('are days in UTC, also across the ends of months', () => {
    expect(dayOf(NOW)).toBe('2026-03-01');
    expect(lastDays(NOW, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(dayAfter('2026-02-28')).toBe('2026-03-01');
    expect(startOf('2026-03-01').toISOString()).toBe('2026-03-01T00:00:00.000Z');
  });

  it('are all counted if none was counted before', () => {
    expect(daysToCount(null, NOW, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('are counted again from the last counted day, which was incomplete', () => {
    expect(daysToCount('2026-02-28', NOW, 5)).toEqual(['2026-02-28', '2026-03-01']);
    expect(daysToCount('2026-03-01', NOW, 5)).toEqual(['2026-03-01']);
  });

  it('are counted no further back than a chart shows after a long stop', () => {
    expect(daysToCount('2025-01-01', NOW, 2)).toEqual(['2026-02-28', '2026-03-01']);
  });

  it('always include today, also with a clock that was set back', () => {
    expect(daysToCount('2026-03-05', NOW, 5)).toEqual(['2026-03-01']);
  });
});

describe('Hours of statistics', () => {
  it('begin on the full hour, also across midnight', () => {
    expect(lastHours(NOW, 2)).toEqual(['2026-02-28T23:00:00.000Z', '2026-03-01T00:00:00.000Z']);
    expect(hourAfter('2026-02-28T23:00:00.000Z').toISOString()).toBe('2026-03-01T00:00:00.000Z');
  });

  it('are counted from the last counted one, which was incomplete, and always include the present one', () => {
    const [before, now] = lastHours(NOW, 2) as [string, string];
    expect(hoursToCount(null, NOW, 2)).toEqual([before, now]);
    expect(hoursToCount(new Date(before), NOW, 5)).toEqual([before, now]);
    expect(hoursToCount(new Date('2020-01-01T00:00:00Z'), NOW, 2)).toEqual([before, now]);
    expect(hoursToCount(new Date('2026-03-02T00:00:00Z'), NOW, 2)).toEqual([now]);
  });
});
