/**
 * Where a spreadsheet begins a cell, and takes it for a formula: at the start of the text, and behind what may separate
 * cells. In half of Europe that is a semicolon, and programs guess at tabs: they cut a text where we saw no border, and
 * quotes do not hold it together, because to them it does not begin with one. Blanks and quotes before the sign do not
 * help, and neither do wide signs, which become narrow ones.
 */
const FORMULA = /(?<=^|[;\t\r\n|])(?=[ "']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front of it, which
 * makes it a text there.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = value.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
