const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads `now` or a time with a time zone; null for anything else, because an hour more or less decides what remains
 * valid.
 */
export function readTime(given: string, now: Date): Date | null {
  if (given === 'now') return now;
  if (!ISO_WITH_ZONE.test(given)) return null;
  const time = new Date(given);
  return Number.isNaN(time.getTime()) ? null : time;
}
