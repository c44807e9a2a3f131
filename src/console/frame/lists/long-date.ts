const LONG_DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The day in UTC, for example `2 December 2026`. */
export function longDate(at: Date): string {
  return LONG_DATE.format(at);
}
