/** A text as a part of a LIKE pattern: `%`, `_` and `\` stand for themselves. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
