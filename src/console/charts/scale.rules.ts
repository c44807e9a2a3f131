/** The smallest of 1, 2 and 5 times a power of ten that leaves room for `most`; never less than `least`. */
export function roundTop(most: number, least = 4): number {
  if (most <= least) return least;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most)!;
}

/** Points of a line over a field of `width` by `height`, the first at its left edge, the last at its right one. */
export function linePath(values: readonly number[], top: number, width: number, height: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${short(index * step)} ${short(height - (value / top) * height)}`)
    .join('');
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
