/** Spreadsheets take a cell that begins like this for a formula, also after they have turned wide letters into narrow ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

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
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
