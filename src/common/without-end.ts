/** Without the characters of this kind at its end, in one pass: a pattern starts over at each one that does not end the text. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
