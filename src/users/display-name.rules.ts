import { oneLine } from '../common/one-line.js';

/** In code points. */
export const DISPLAY_NAME_LENGTH = 200;

/** One line of at most {@link DISPLAY_NAME_LENGTH} characters; null if nothing remains. */
export function cleanDisplayName(text: string | null): string | null {
  const line = oneLine(text ?? '');
  return line === '' ? null : [...line].slice(0, DISPLAY_NAME_LENGTH).join('').trim();
}

export function judgeDisplayName(text: string): 'ok' | 'missing' | 'too_long' {
  if (cleanDisplayName(text) === null) return 'missing';
  return [...text].length > DISPLAY_NAME_LENGTH ? 'too_long' : 'ok';
}
