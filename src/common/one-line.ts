/**
 * Line breaks, control characters, lone surrogates, and the marks that change the direction of the text after them
 * (Unicode TR9): with one of those in a name, the words beside it in a list, a mail or a log read differently.
 * Joiners stay: emoji and the scripts of India and Iran need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The text as one line that can be printed. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}
