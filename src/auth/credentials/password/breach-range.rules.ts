/** Digits of the SHA-1 that are asked with; the other 35 are compared. */
export const PREFIX_LENGTH = 5;

const LINE = /^([\dA-F]{35}):(\d{1,12})$/i;

/**
 * What of a range occurs in breaches, in capitals. Lines with a count of 0 are padding.
 * @returns null where a line is anything else than `SUFFIX:COUNT`
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
