/** Escapes a text for a LIKE pattern: `%`, `_` and `\` match themselves. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
