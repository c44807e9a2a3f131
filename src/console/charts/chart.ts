import { type BucketWords, bucketWords } from './bucket-words.js';
import type { Span } from './finding.rules.js';
import { type Bar, barsOf, columnsOf, type Line, lineOf, ticksOf } from './scale.rules.js';

export interface ChartSeries {
  readonly label: string;
  readonly values: readonly number[];
}

/** Model of `views/partials/chart.hbs`: numbers and texts. The colors are in the stylesheet. */
export interface Chart {
  readonly id: string;
  /** The finding as a text. */
  readonly title: string;
  /** Explanation of the numbers, with those of the current bucket. */
  readonly note: string;
  readonly viewBox: string;
  /** A line for each tick above zero. */
  readonly gridPath: string;
  readonly lines: readonly (Line & { readonly kind: string })[];
  readonly bars: readonly (Bar & { readonly isLast: boolean })[];
  /** The last bucket, which is not complete; hatched in line charts. */
  readonly openColumn: { readonly x: number; readonly width: number };
  /** Time and values of a bucket, shown on hover and focus. In the second half of the chart, they open to the left. */
  readonly buckets: readonly { readonly label: string; readonly values: string; readonly opensLeft: boolean }[];
  /** Only present with more than one series. */
  readonly legend: readonly { readonly label: string; readonly kind: string }[];
  /** From top to bottom, ending with zero. */
  readonly scale: readonly string[];
  /** A label for each bucket; most are empty. */
  readonly axis: readonly string[];
  /** Heading of the first column of the table. */
  readonly unitLabel: string;
  readonly columns: readonly string[];
  /** Newest first. */
  readonly rows: readonly { readonly label: string; readonly iso: string; readonly values: readonly string[] }[];
}

export interface ChartFrame {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly unit: Span['unit'];
  /** Days as `YYYY-MM-DD`, or ISO times of hours, oldest first; one for each value. */
  readonly starts: readonly string[];
}

const WIDTH = 640;
const HEIGHT = 160;
const KINDS = ['one', 'two', 'three'] as const;
const AXIS_LABELS = 4;

/** A line for each of up to three series, on one scale that begins at zero. */
export function lineChart(frame: ChartFrame, series: readonly ChartSeries[]): Chart {
  const ticks = ticksOf(most(series));
  const lines = series.map(({ values }, index) => ({
    ...lineOf(values, ticks.at(-1)!, WIDTH, HEIGHT),
    kind: KINDS[index]!,
  }));
  const legend = series.map(({ label }, index) => ({ label, kind: KINDS[index]! }));
  return { ...common(frame, series, ticks), lines, bars: [], legend: series.length > 1 ? legend : [] };
}

/** A bar for each bucket. */
export function barChart(frame: ChartFrame, series: ChartSeries): Chart {
  const ticks = ticksOf(most([series]));
  const bars = barsOf(series.values, ticks.at(-1)!, WIDTH, HEIGHT);
  return {
    ...common(frame, [series], ticks),
    lines: [],
    bars: bars.map((bar, index) => ({ ...bar, isLast: index === bars.length - 1 })),
    legend: [],
  };
}

function most(series: readonly ChartSeries[]): number {
  return Math.max(0, ...series.flatMap(({ values }) => values));
}

function common(
  { id, title, note, unit, starts }: ChartFrame,
  series: readonly ChartSeries[],
  ticks: readonly number[],
) {
  const words = starts.map((start) => bucketWords(start, unit));
  return {
    ...{ id, title, note },
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    gridPath: ticks
      .slice(1)
      .map((_, index) => `M0 ${Math.round((index * HEIGHT) / (ticks.length - 1))}H${WIDTH}`)
      .join(''),
    openColumn: columnsOf(starts.length, WIDTH).at(-1)!,
    scale: ticks.map((value) => value.toLocaleString('en')).reverse(),
    axis: axisOf(words, unit),
    unitLabel: unit === 'day' ? 'Day' : 'Hour',
    columns: series.map(({ label }) => label),
    buckets: words.map(({ full }, index) => ({
      label: index < words.length - 1 ? full : unit === 'day' ? 'Today so far' : 'This hour so far',
      values: valuesOf(series, index),
      opensLeft: index >= words.length / 2,
    })),
    rows: words
      .map(({ full }, index) => ({
        label: full,
        iso: starts[index]!,
        values: series.map(({ values }) => values[index]!.toLocaleString('en')),
      }))
      .reverse(),
  };
}

/** Labels at equal distances, counted from the last bucket, so that it always has one. */
function axisOf(words: readonly BucketWords[], unit: Span['unit']): string[] {
  const every = Math.ceil(words.length / AXIS_LABELS);
  const last = words.length - 1;
  const end = unit === 'day' ? 'Today' : 'Now';
  return words.map(({ short }, index) => ((last - index) % every > 0 ? '' : index === last ? end : short));
}

/** `1,200`, or with the labels of several series. */
function valuesOf(series: readonly ChartSeries[], index: number): string {
  const values = series.map(({ label, values: all }) => {
    const value = all[index]!.toLocaleString('en');
    return series.length > 1 ? `${label} ${value}` : value;
  });
  return values.join(', ');
}
