import { describe, expect, it } from '@jest/globals';
import { dayAfter, dayOf, daysToCount, lastDays, startOf } from '../../../src/operations/statistics/days.rules.js';

const NOW = new Date('2026-03-01T00:00:30Z');

describe('days of statistics', () => {
  it('are days of UTC, over the ends of months', () => {
    expect(dayOf(NOW)).toBe('2026-03-01');
    expect(lastDays(NOW, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(dayAfter('2026-02-28')).toBe('2026-03-01');
    expect(startOf('2026-03-01').toISOString()).toBe('2026-03-01T00:00:00.000Z');
  });

  it('are all counted where none ever was', () => {
    expect(daysToCount(null, NOW, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('are counted again from the one that was counted last: it went on after that', () => {
    expect(daysToCount('2026-02-28', NOW, 5)).toEqual(['2026-02-28', '2026-03-01']);
    expect(daysToCount('2026-03-01', NOW, 5)).toEqual(['2026-03-01']);
  });

  it('are counted no further back than a chart goes, after a long stop', () => {
    expect(daysToCount('2025-01-01', NOW, 2)).toEqual(['2026-02-28', '2026-03-01']);
  });

  it('include today whatever was counted, also with a clock that was set back', () => {
    expect(daysToCount('2026-03-05', NOW, 5)).toEqual(['2026-03-01']);
  });
});
