import { describe, expect, it } from '@jest/globals';
import { barChart, lineChart } from '../../../src/console/charts/chart.js';
import { finding, findingOfPeak } from '../../../src/console/charts/finding.rules.js';
import { barsOf, columnsOf, lineOf, ticksOf } from '../../../src/console/charts/scale.rules.js';
import fc from '../../support/fast-check.js';
import { MEASURES } from '../../../src/common/statistics/daily-measure.js';
import { statisticsCharts } from '../../../src/console/charts/statistics-charts.js';
import type { StatisticsSeries } from '../../../src/operations/statistics/statistics.service.js';

const NOUN = ['sign-in', 'sign-ins'] as const;
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01'];
const FRAME = { id: 'x', title: 'T', note: 'N', unit: 'day' as const, starts: DAYS };
const WEEK = { length: 7, unit: 'day' as const };
/** Fourteen days that are over, and today. */
const weeks = (before: number, last: number, today: number): number[] => [
  ...Array.from({ length: 7 }, () => before),
  ...Array.from({ length: 7 }, () => last),
  today,
];

describe('Summary of a chart', () => {
  it('compares whole weeks without today', () => {
    expect(finding(weeks(2, 3, 500), NOUN, WEEK)).toBe('21 sign-ins in the last 7 days, 7 more than in the previous 7');
    expect(finding(weeks(3, 2, 0), NOUN, WEEK)).toBe('14 sign-ins in the last 7 days, 7 fewer than in the previous 7');
    expect(finding(weeks(200, 200, 0), NOUN, WEEK)).toBe(
      '1,400 sign-ins in the last 7 days, the same as in the previous 7',
    );
  });

  it('reports a chart without events, and does not compare with missing days', () => {
    expect(finding(weeks(0, 0, 0), NOUN, WEEK)).toBe('No sign-ins in the last 7 days');
    expect(finding(weeks(0, 0, 4), NOUN, WEEK)).toBe('No sign-ins in the last 7 days');
    expect(finding(weeks(1, 0, 4), NOUN, WEEK)).toBe('No sign-ins in the last 7 days, 7 fewer than in the previous 7');
    expect(finding([1, 0, 0], NOUN, WEEK)).toBe('1 sign-in in the last 7 days');
  });

  it('of users names the fullest day, because the same users return every day', () => {
    const times = ['on 27 Feb', 'on 28 Feb', 'on 1 Mar'];
    expect(findingOfPeak([4, 9, 2], times, NOUN, WEEK)).toBe('Peak: 9 sign-ins, on 28 Feb');
    expect(findingOfPeak([0, 0, 0], times, NOUN, WEEK)).toBe('No sign-ins in the last 3 days');
  });
});

describe('Chart of hours', () => {
  const hours = ['2026-02-28T23:00:00.000Z', '2026-03-01T00:00:00.000Z'];

  it('names the hour in the finding, on the axis, in the values and in the table', () => {
    const span = { length: 2, unit: 'hour' as const };
    expect(finding([1, 2, 3, 4, 5], NOUN, span)).toBe('7 sign-ins in the last 2 hours, 4 more than in the previous 2');
    const chart = barChart({ ...FRAME, unit: 'hour', starts: hours }, { label: 'A', values: [1, 2] });
    expect(chart.axis).toEqual(['23:00', 'Now']);
    expect(chart.buckets.map(({ label }) => label)).toEqual(['28 Feb, 23:00', 'This hour so far']);
    expect(chart.rows.map(({ label, iso }) => [label, iso])).toEqual([
      ['1 Mar, 00:00', hours[1]],
      ['28 Feb, 23:00', hours[0]],
    ]);
  });
});

describe('Drawing of a chart', () => {
  it('starts at zero and ends at a round number with some room', () => {
    expect(ticksOf(0)).toEqual([0, 1, 2, 3, 4]);
    expect(ticksOf(295)).toEqual([0, 100, 200, 300]);
    expect([5, 7, 11, 49, 51, 270, 999, 1001].map((most) => ticksOf(most).at(-1))).toEqual([
      5, 8, 15, 50, 60, 300, 1000, 1250,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (most) => {
        const ticks = ticksOf(most);
        const top = ticks.at(-1)!;
        return top >= most && ticks.every(Number.isInteger) && ticks.length <= 6 && top <= Math.max(4, 1.7 * most);
      }),
    );
  });

  it('keeps every value inside its area, true to scale', () => {
    expect(lineOf([0, 5], 10, 100, 50)).toEqual({ path: 'M25 50', lastPath: 'M25 50L75 25' });
    expect(lineOf([7], 7, 100, 50)).toEqual({ path: 'M50 0', lastPath: '' });
    expect(columnsOf(4, 640)[3]).toEqual({ x: 480, width: 160 });
    expect(barsOf([0, 5], 10, 80, 50)).toEqual([
      { x: 5, y: 50, width: 30, height: 0 },
      { x: 45, y: 25, width: 30, height: 25 },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(1e6), { minLength: 1, maxLength: 31 }), (values) =>
        barsOf(values, ticksOf(Math.max(...values)).at(-1)!, 640, 160).every(
          ({ x, y, width, height }) => x >= 0 && x + width <= 640.01 && y >= 0 && y + height <= 160.01,
        ),
      ),
    );
  });

  it('has one scale for all its lines, a legend, and a table with the newest day first', () => {
    const chart = lineChart(FRAME, [
      { label: 'A', values: [1, 2, 3] },
      { label: 'B', values: [0, 0, 1200] },
    ]);
    expect(chart.scale).toEqual(['1,250', '1,000', '750', '500', '250', '0']);
    expect(chart.gridPath).toBe('M0 0H640M0 32H640M0 64H640M0 96H640M0 128H640');
    expect(chart.buckets).toEqual([
      { label: '27 Feb', values: 'A 1, B 0', opensLeft: false },
      { label: '28 Feb', values: 'A 2, B 0', opensLeft: false },
      { label: 'Today so far', values: 'A 3, B 1,200', opensLeft: true },
    ]);
    expect(chart.lines.map(({ kind }) => kind)).toEqual(['one', 'two']);
    expect(chart.legend).toHaveLength(2);
    expect(chart.rows[0]).toEqual({ label: '1 Mar', iso: '2026-03-01', values: ['3', '1,200'] });
    expect(chart.axis).toEqual(['27 Feb', '28 Feb', 'Today']);
  });

  it('of bars has one for each day, also for an empty day', () => {
    const { bars } = barChart(FRAME, { label: 'A', values: [0, 0, 0] });
    expect(bars.map(({ height }) => height)).toEqual([0, 0, 0]);
    expect(bars.map(({ isLast }) => isLast)).toEqual([false, false, true]);
  });
});

describe('Charts of statistics', () => {
  it.each([
    ['day', '2026-11-05', ['sign-ins', 'active-users', 'tokens', 'pushes']],
    // An earlier version counted a whole day's notifications for its last hour.
    ['hour', '2026-11-05T23:00:00.000Z', ['sign-ins', 'active-users', 'tokens']],
  ] as const)('by %s', (unit, start, expected) => {
    const counts = Object.fromEntries(
      MEASURES.map((measure) => [measure, [7]]),
    ) as unknown as StatisticsSeries['counts'];
    const charts = statisticsCharts({ starts: [start], counts }, { unit, length: 1 });
    expect(charts.map(({ id }) => id)).toEqual(expected);
  });
});
