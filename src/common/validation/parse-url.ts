/**
 * The URL in a text (WHATWG URL standard), or null if there is none. `URL.canParse` is not used: in Node 20 and 22 it
 * returns false for valid URLs with letters such as ü as soon as V8 has optimized its caller.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
