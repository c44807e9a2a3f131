import { type Message, message } from '../i18n/message.js';
import { quantity } from './quantity.js';

/** Almost a whole unit counts as one: a week that began a moment ago is still a week. */
const UNIT_TOLERANCE = 0.05;

/** `90` → `2 minutes`, `7200` → `2 hours`. Rounded up, because an attempt before the end would be refused. */
export function waitInWords(seconds: number): Message {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  if (minutes === 1) return message('common.wait.a_minute');
  return minutes < 90
    ? message('common.wait.minutes', { count: minutes })
    : message('common.wait.hours', { count: Math.ceil(minutes / 60) });
}

/** As {@link waitInWords}, for operators and the API: `75` → `75 seconds`, `810` → `14 minutes`. */
export function waitInEnglish(seconds: number): string {
  if (seconds < 90) return quantity(Math.ceil(seconds), 'second', 'seconds');
  if (seconds < 5_400) return quantity(Math.ceil(seconds / 60), 'minute', 'minutes');
  return quantity(Math.ceil(seconds / 3_600), 'hour', 'hours');
}

/** How long something is still valid. Rounded down, because it must not be promised for longer. */
export function leftInWords(seconds: number): Message {
  const whole = (unit: number): number => Math.floor(seconds / unit + UNIT_TOLERANCE);
  if (whole(86_400) > 0) return message('common.wait.days', { count: whole(86_400) });
  if (whole(3_600) > 0) return message('common.wait.hours', { count: whole(3_600) });
  return message('common.wait.minutes', { count: Math.max(1, whole(60)) });
}

export function waitThenTryAgain(seconds: number): Message {
  return message('common.wait.then_try_again', { wait: waitInWords(seconds) });
}

export function tooManyAttempts(retryAfterSeconds: number): Message {
  return message('common.wait.too_many_attempts', { wait: waitInWords(retryAfterSeconds) });
}
