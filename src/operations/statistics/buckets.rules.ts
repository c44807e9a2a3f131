export type Unit = 'day' | 'hour';

/** A day or an hour: start (inclusive) and end (exclusive). */
export interface CountedPeriod {
  readonly from: Date;
  readonly until: Date;
}

const LENGTHS_MS = { day: 86_400_000, hour: 3_600_000 } as const;

/** The day as `YYYY-MM-DD` or the ISO time at which the hour starts, in UTC. */
export function bucketOf(unit: Unit, at: Date): string {
  const start = new Date(Math.floor(at.getTime() / LENGTHS_MS[unit]) * LENGTHS_MS[unit]).toISOString();
  return unit === 'day' ? start.slice(0, 10) : start;
}

/** The last `count` days or hours up to that of `now`, oldest first. */
export function lastBuckets(unit: Unit, now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    bucketOf(unit, new Date(now.getTime() - (count - 1 - index) * LENGTHS_MS[unit])),
  );
}

/**
 * What to count now: the current day or hour and all from the one that was counted last, which continued after it was
 * counted. At most `most`.
 */
export function periodsToCount(unit: Unit, lastCounted: string | null, now: Date, most: number): CountedPeriod[] {
  return lastBuckets(unit, now, most)
    .filter((start) => lastCounted === null || start >= lastCounted || start === bucketOf(unit, now))
    .map((start) => new Date(start))
    .map((from) => ({ from, until: new Date(from.getTime() + LENGTHS_MS[unit]) }));
}
