import { type Message, message } from '../i18n/message.js';

/** `90` → `2 minutes`, `7200` → `2 hours`. Rounded up, because an attempt before the end would be refused. */
export function waitInWords(seconds: number): Message {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  if (minutes === 1) return message('common.wait.a_minute');
  return minutes < 90
    ? message('common.wait.minutes', { count: minutes })
    : message('common.wait.hours', { count: Math.ceil(minutes / 60) });
}

export function waitThenTryAgain(seconds: number): Message {
  return message('common.wait.then_try_again', { wait: waitInWords(seconds) });
}

export function tooManyAttempts(retryAfterSeconds: number): Message {
  return message('common.wait.too_many_attempts', { wait: waitInWords(retryAfterSeconds) });
}
