/** UTC days, as `YYYY-MM-DD`. */
const DAY_MILLISECONDS = 86_400_000;

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The midnight at which the day begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function dayAfter(day: string): string {
  return dayOf(new Date(startOf(day).getTime() + DAY_MILLISECONDS));
}

/** The last `count` days up to that of `now`, oldest first. */
export function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    dayOf(new Date(now.getTime() - (count - 1 - index) * DAY_MILLISECONDS)),
  );
}

/**
 * The days to count now: today and all days from the one that was counted last, which continued after it was counted.
 * At most `most` days.
 */
export function daysToCount(lastCounted: string | null, now: Date, most: number): string[] {
  const days = lastDays(now, most);
  return lastCounted === null ? days : days.filter((day) => day >= lastCounted || day === dayOf(now));
}
