import { dayInWords } from './finding.rules.js';
import { type Bar, barsOf, columnsOf, type Line, lineOf, roundTop } from './scale.rules.js';

export interface ChartSeries {
  readonly label: string;
  readonly values: readonly number[];
}

/** What `views/partials/chart.hbs` draws: numbers and words only, colours come from the stylesheet. */
export interface Chart {
  readonly id: string;
  /** The finding in words. */
  readonly title: string;
  /** Said below it: what the numbers are, and today so far. */
  readonly note: string;
  readonly viewBox: string;
  readonly lines: readonly (Line & { readonly kind: string })[];
  readonly bars: readonly (Bar & { readonly isToday: boolean })[];
  /** The day and its values, for the whole height above it. */
  readonly hints: readonly { readonly x: number; readonly width: number; readonly words: string }[];
  /** Only where there is more than one series. */
  readonly legend: readonly { readonly label: string; readonly kind: string }[];
  /** The value at the top, in the middle and at the bottom, which is always zero. */
  readonly scale: readonly string[];
  readonly dayLabels: readonly string[];
  readonly columns: readonly string[];
  /** Newest first. */
  readonly rows: readonly { readonly day: string; readonly iso: string; readonly values: readonly string[] }[];
}

export interface ChartFrame {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** `YYYY-MM-DD`, oldest first, one for each value. */
  readonly days: readonly string[];
}

const WIDTH = 640;
const HEIGHT = 160;
const KINDS = ['one', 'two', 'three'] as const;

/** How things went: a line for each series, over one scale that begins at zero. At most three. */
export function lineChart(frame: ChartFrame, series: readonly ChartSeries[]): Chart {
  const top = topOf(series);
  const lines = series.map(({ values }, index) => ({
    ...lineOf(values, top, WIDTH, HEIGHT),
    kind: KINDS[index]!,
  }));
  const legend = series.map(({ label }, index) => ({ label, kind: KINDS[index]! }));
  return { ...common(frame, series, top), lines, bars: [], legend: series.length > 1 ? legend : [] };
}

/** How much there was of something, day by day. */
export function barChart(frame: ChartFrame, series: ChartSeries): Chart {
  const top = topOf([series]);
  return { ...common(frame, [series], top), lines: [], bars: dailyBars(series.values, top), legend: [] };
}

/** The last is of today, which is not over. */
function dailyBars(values: readonly number[], top: number) {
  const bars = barsOf(values, top, WIDTH, HEIGHT);
  return bars.map((bar, index) => ({ ...bar, isToday: index === bars.length - 1 }));
}

function topOf(series: readonly ChartSeries[]): number {
  return roundTop(Math.max(0, ...series.flatMap(({ values }) => values)));
}

function common({ id, title, note, days }: ChartFrame, series: readonly ChartSeries[], top: number) {
  const named = [days[0]!, days[Math.floor((days.length - 1) / 2)]!];
  return {
    id,
    title,
    note,
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    scale: [top, top / 2, 0].map((value) => value.toLocaleString('en')),
    dayLabels: [...named.map(dayInWords), 'Today'],
    columns: series.map(({ label }) => label),
    hints: columnsOf(days.length, WIDTH).map((column, index) => ({ ...column, words: hintOf(days, series, index) })),
    rows: days
      .map((day, index) => ({
        day: dayInWords(day),
        iso: day,
        values: series.map(({ values }) => values[index]!.toLocaleString('en')),
      }))
      .reverse(),
  };
}

/** `28 Feb: 1,200`, or with the names of several series. Shown where the mouse rests on a day. */
function hintOf(days: readonly string[], series: readonly ChartSeries[], index: number): string {
  const values = series.map(({ label, values: all }) => {
    const value = all[index]!.toLocaleString('en');
    return series.length > 1 ? `${label} ${value}` : value;
  });
  const isToday = index === days.length - 1;
  return `${isToday ? 'Today so far' : dayInWords(days[index]!)}: ${values.join(', ')}`;
}
