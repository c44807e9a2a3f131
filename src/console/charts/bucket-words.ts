import type { Span } from './finding.rules.js';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Texts for the time of a bucket: short for the axis, and in full. Both in UTC. */
export interface BucketWords {
  readonly short: string;
  readonly full: string;
}

/** @param start `2026-11-05`, or the ISO time of an hour */
export function bucketWords(start: string, unit: Span['unit']): BucketWords {
  if (unit === 'day') return { short: dayInWords(start), full: dayInWords(start) };
  const hour = start.slice(11, 16);
  return { short: hour, full: `${dayInWords(start.slice(0, 10))}, ${hour}` };
}

/** `2026-11-05` → `5 Nov`. */
function dayInWords(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}
