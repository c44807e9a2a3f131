/**
 * Line breaks, control characters, lone surrogates, and bidirectional controls (Unicode TR9), which in a name would
 * change how the words after it in a list, a mail or a log read. Joiners are allowed, because emoji and several
 * scripts, such as those of India and Iran, need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The text as one printable line. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}
