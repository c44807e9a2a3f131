/** Digits of the SHA-1 hash that are sent; the other 35 are compared. */
export const PREFIX_LENGTH = 5;

const LINE = /^([\dA-F]{35}):(\d{1,12})$/i;

/**
 * Hash suffixes in a range that occur in breaches, in upper case. Lines with a count of 0 are padding.
 * @returns null if a line is not `SUFFIX:COUNT`
 */
export function readRange(text: string): ReadonlySet<string> | null {
  const found = new Set<string>();
  for (const line of text.trim().split(/\r?\n/)) {
    const match = LINE.exec(line.trim());
    if (!match) return null;
    if (Number(match[2]) > 0) found.add(match[1]!.toUpperCase());
  }
  return found;
}
