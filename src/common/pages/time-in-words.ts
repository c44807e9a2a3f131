import { type Text, message } from '../i18n/message.js';

/** A time in words, such as "5 minutes ago", with the exact time. */
export interface TimeInWords {
  readonly words: Text;
  /** For the attribute `datetime`. */
  readonly iso: string;
  /** For the attribute `title`: the exact time with its time zone. */
  readonly utc: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Beyond this, the date is shown instead of a number of days. */
const LONGEST = 30 * DAY;

export function timeInWords(at: Date, now: Date): TimeInWords {
  return { words: words(at, (now.getTime() - at.getTime()) / 1000), iso: at.toISOString(), utc: at.toUTCString() };
}

/** A deadline: a date alone would be another day in other time zones. For example `2 December 2026 at 10:00 UTC`. */
export function momentInWords(at: Date): TimeInWords {
  return { words: message('common.time.moment', { at }), iso: at.toISOString(), utc: at.toUTCString() };
}

/** A UTC date, for example `2 December 2026`. */
export function dayInWords(at: Date): Text {
  return message('common.time.day', { at });
}

function words(at: Date, seconds: number): Text {
  if (seconds <= -MINUTE) return untilInWords(at, -seconds);
  if (seconds < MINUTE) return message('common.time.just_now');
  if (seconds < HOUR) return message('common.time.minutes_ago', { count: Math.floor(seconds / MINUTE) });
  if (seconds < DAY) return message('common.time.hours_ago', { count: Math.floor(seconds / HOUR) });
  if (seconds < LONGEST) return message('common.time.days_ago', { count: Math.floor(seconds / DAY) });
  return dayInWords(at);
}

function untilInWords(at: Date, seconds: number): Text {
  if (seconds < HOUR) return message('common.time.in_minutes', { count: Math.floor(seconds / MINUTE) });
  if (seconds < DAY) return message('common.time.in_hours', { count: Math.floor(seconds / HOUR) });
  if (seconds < LONGEST) return message('common.time.in_days', { count: Math.floor(seconds / DAY) });
  return dayInWords(at);
}
