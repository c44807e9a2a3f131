const LONGEST = 1024;

/** A page of the console as an address on this very host, or null: never where another site would be reached. */
export function readConsolePath(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST || !/^\/console(?:[/?]|$)/.test(text)) return null;
  // Browsers take \ for /, and drop line breaks and tabs wherever they stand.
  if (!/^[!-[\]-~]+$/.test(text) || text.startsWith('/console//')) return null;
  return /^\/console\/(?:login|logout|callback)(?:[/?]|$)/.test(text) ? null : text;
}
