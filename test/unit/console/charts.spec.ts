import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { barChart, lineChart } from '../../../src/console/charts/chart.js';
import { finding, findingOfPeak } from '../../../src/console/charts/finding.rules.js';
import { barsOf, columnsOf, lineOf, roundTop } from '../../../src/console/charts/scale.rules.js';

const NOUN = ['sign-in', 'sign-ins'] as const;
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01'];
const FRAME = { id: 'x', title: 'T', note: 'N', days: DAYS };
/** Fourteen days that are over, and today. */
const weeks = (before: number, last: number, today: number): number[] => [
  ...Array.from({ length: 7 }, () => before),
  ...Array.from({ length: 7 }, () => last),
  today,
];

describe('Summary of a chart', () => {
  it('compares whole weeks without today', () => {
    expect(finding(weeks(2, 3, 500), NOUN)).toBe('21 sign-ins in the last 7 days, 7 more than in the previous 7');
    expect(finding(weeks(3, 2, 0), NOUN)).toBe('14 sign-ins in the last 7 days, 7 fewer than in the previous 7');
    expect(finding(weeks(200, 200, 0), NOUN)).toBe('1,400 sign-ins in the last 7 days, the same as in the previous 7');
  });

  it('reports a chart without events, and does not compare with missing days', () => {
    expect(finding(weeks(0, 0, 0), NOUN)).toBe('No sign-ins in 15 days');
    expect(finding(weeks(0, 0, 4), NOUN)).toBe('No sign-ins in the last 14 days');
    expect(finding(weeks(1, 0, 4), NOUN)).toBe('No sign-ins in the last 7 days, 7 fewer than in the previous 7');
    expect(finding([1, 0, 0], NOUN)).toBe('1 sign-in in the last 7 days');
  });

  it('of users names the fullest day, because the same users return every day', () => {
    expect(findingOfPeak([4, 9, 2], DAYS, NOUN)).toBe('Peak: 9 sign-ins, on 28 Feb');
    expect(findingOfPeak([0, 0, 0], DAYS, NOUN)).toBe('No sign-ins in 3 days');
  });
});

describe('Drawing of a chart', () => {
  it('starts at zero and ends at a round number with some room', () => {
    expect([0, 3, 5, 7, 11, 49, 51, 295, 999, 1001].map((most) => roundTop(most))).toEqual([
      4, 4, 6, 8, 12, 50, 60, 300, 1000, 1200,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (most) => {
        const top = roundTop(most);
        return top >= most && top % 2 === 0 && top <= Math.max(4, 1.6 * most);
      }),
    );
  });

  it('keeps every value inside its area, true to scale', () => {
    expect(lineOf([0, 5, 10], 10, 100, 50)).toEqual({ path: 'M0 50L50 25', todayPath: 'M50 25L100 0' });
    expect(lineOf([7], 7, 100, 50)).toEqual({ path: 'M0 0', todayPath: '' });
    expect(columnsOf(4, 640)[3]).toEqual({ x: 480, width: 160 });
    expect(barsOf([0, 5], 10, 80, 50)).toEqual([
      { x: 5, y: 50, width: 30, height: 0 },
      { x: 45, y: 25, width: 30, height: 25 },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(1e6), { minLength: 1, maxLength: 31 }), (values) =>
        barsOf(values, roundTop(Math.max(...values)), 640, 160).every(
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
    expect(chart.scale).toEqual(['1,200', '600', '0']);
    expect(chart.hints.map(({ words }) => words)).toEqual([
      '27 Feb: A 1, B 0',
      '28 Feb: A 2, B 0',
      'Today so far: A 3, B 1,200',
    ]);
    expect(chart.lines.map(({ kind }) => kind)).toEqual(['one', 'two']);
    expect(chart.legend).toHaveLength(2);
    expect(chart.rows[0]).toEqual({ day: '1 Mar', iso: '2026-03-01', values: ['3', '1,200'] });
    expect(chart.dayLabels).toEqual(['27 Feb', '28 Feb', 'Today']);
  });

  it('of bars has one for each day, also for an empty day', () => {
    const { bars } = barChart(FRAME, { label: 'A', values: [0, 0, 0] });
    expect(bars.map(({ height }) => height)).toEqual([0, 0, 0]);
    expect(bars.map(({ isToday }) => isToday)).toEqual([false, false, true]);
  });
});
