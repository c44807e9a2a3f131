/** Code points. */
export const DISPLAY_NAME_LENGTH = 200;

/**
 * Line breaks, control characters, lone surrogates, and the marks that change the direction of the text after them
 * (Unicode TR9): with one of those in a name, the words beside it in a list, a mail or a log read differently.
 * Joiners stay: emoji and the scripts of India and Iran need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** One line of at most {@link DISPLAY_NAME_LENGTH} characters, or null where nothing is left of it. */
export function cleanDisplayName(text: string | null): string | null {
  const line = (text ?? '').replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
  return line === '' ? null : [...line].slice(0, DISPLAY_NAME_LENGTH).join('').trim();
}
