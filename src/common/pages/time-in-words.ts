/** A moment as people say it, with the exact time beside it. */
export interface TimeInWords {
  readonly words: string;
  /** For `datetime`. */
  readonly iso: string;
  /** For `title`: exact, and it says which clock. */
  readonly utc: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Beyond it a date says more than a number of days. */
const LONGEST = 30 * DAY;

export function timeInWords(at: Date, now: Date): TimeInWords {
  return { words: words(at, (now.getTime() - at.getTime()) / 1000), iso: at.toISOString(), utc: at.toUTCString() };
}

function words(at: Date, seconds: number): string {
  if (seconds < MINUTE) return 'just now';
  if (seconds < HOUR) return ago(seconds / MINUTE, 'minute');
  if (seconds < DAY) return ago(seconds / HOUR, 'hour');
  if (seconds < LONGEST) return ago(seconds / DAY, 'day');
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}

function ago(count: number, unit: string): string {
  const whole = Math.floor(count);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}
