/** Hours are identified by the ISO time of their start, in UTC. */
const HOUR_MS = 3_600_000;

function hourOf(at: Date): string {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS).toISOString();
}

export function hourAfter(hour: string): Date {
  return new Date(new Date(hour).getTime() + HOUR_MS);
}

/** The last `count` hours up to that of `now`, oldest first. */
export function lastHours(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) => hourOf(new Date(now.getTime() - (count - 1 - index) * HOUR_MS)));
}

/**
 * As `daysToCount`: the current hour and all hours from the one that was counted last, which continued after it was
 * counted.
 */
export function hoursToCount(lastCounted: Date | null, now: Date, most: number): string[] {
  const hours = lastHours(now, most);
  if (lastCounted === null) return hours;
  const last = lastCounted.toISOString();
  return hours.filter((hour) => hour >= last || hour === hourOf(now));
}
