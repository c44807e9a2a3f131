/**
 * Removes these characters from the end in one pass. A regular expression would start over at each of them that is not
 * at the end, which takes quadratic time.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
