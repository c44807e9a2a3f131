/** Tenths of a power of ten whose halves are round, too: the half stands in the middle of the scale. */
const ROUND_TENTHS = [10, 12, 16, 20, 30, 40, 50, 60, 80, 100];

/** The smallest round and even number that leaves room for `most`; never less than `least`. */
export function roundTop(most: number, least = 4): number {
  if (most <= least) return least;
  const power = 10 ** Math.floor(Math.log10(most));
  return ROUND_TENTHS.map((tenths) => (tenths * power) / 10).find((top) => top >= most && top % 2 === 0)!;
}

/** The fields of the days over the whole height, side by side. */
export function columnsOf(days: number, width: number): { readonly x: number; readonly width: number }[] {
  const step = width / days;
  return Array.from({ length: days }, (_, index) => ({ x: short(index * step), width: short(step) }));
}

export interface Line {
  readonly path: string;
  /** From the day before to the last, which is not over; empty where there is only one. */
  readonly todayPath: string;
}

/** A line over a field of `width` by `height`, its first point at the left edge, its last one at the right edge. */
export function lineOf(values: readonly number[], top: number, width: number, height: number): Line {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, index) => `${short(index * step)} ${short(height - (value / top) * height)}`);
  if (points.length < 2) return { path: `M${points.join('')}`, todayPath: '' };
  return { path: `M${points.slice(0, -1).join('L')}`, todayPath: `M${points.slice(-2).join('L')}` };
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One bar a value, from zero up, with a gap of a quarter between them. */
export function barsOf(values: readonly number[], top: number, width: number, height: number): Bar[] {
  const step = width / values.length;
  return values.map((value, index) => {
    const tall = short((value / top) * height);
    return { x: short(index * step + step / 8), y: short(height - tall), width: short(step * 0.75), height: tall };
  });
}

function short(value: number): number {
  return Math.round(value * 100) / 100;
}
