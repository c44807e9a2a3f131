import { oneLine } from '../common/one-line.js';

/** Code points. */
export const DISPLAY_NAME_LENGTH = 200;

/** One line of at most {@link DISPLAY_NAME_LENGTH} characters, or null where nothing is left of it. */
export function cleanDisplayName(text: string | null): string | null {
  const line = oneLine(text ?? '');
  return line === '' ? null : [...line].slice(0, DISPLAY_NAME_LENGTH).join('').trim();
}
