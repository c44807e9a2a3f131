const ROUND_STEPS = [1, 2, 2.5, 5, 10];
const MAX_STEPS = 5;
const MIN_TOP = 4;

/**
 * The ticks of the axis from zero: at most five equal steps of 1, 2, 2.5 or 5 times a power of ten, the smallest that
 * reach `most`. Only integers, because all values are counts.
 */
export function ticksOf(most: number): number[] {
  const reached = Math.max(most, MIN_TOP);
  const power = 10 ** Math.floor(Math.log10(reached / MAX_STEPS));
  const steps = ROUND_STEPS.map((round) => round * power).filter((step) => step >= 1 && Number.isInteger(step));
  const step = steps.find((each) => each * MAX_STEPS >= reached)!;
  return Array.from({ length: Math.ceil(reached / step) + 1 }, (_, index) => index * step);
}

/** Columns of full height, one for each bucket. */
export function columnsOf(count: number, width: number): { readonly x: number; readonly width: number }[] {
  const step = width / count;
  return Array.from({ length: count }, (_, index) => ({ x: short(index * step), width: short(step) }));
}

export interface Line {
  readonly path: string;
  /** The line from the previous bucket to the last one, which is not complete; empty if there is only one. */
  readonly lastPath: string;
}

/** A line in an area of `width` by `height`, with a point in the middle of each bucket. */
export function lineOf(values: readonly number[], top: number, width: number, height: number): Line {
  const step = width / values.length;
  const points = values.map(
    (value, index) => `${short((index + 0.5) * step)} ${short(height - (value / top) * height)}`,
  );
  if (points.length < 2) return { path: `M${points.join('')}`, lastPath: '' };
  return { path: `M${points.slice(0, -1).join('L')}`, lastPath: `M${points.slice(-2).join('L')}` };
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One bar per value, from zero. The gap between two bars is a quarter of the width of a bucket. */
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
