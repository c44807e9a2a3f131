import type { StreamedFile } from '../../common/http/streams/streamed-file.js';

/**
 * Positions where a spreadsheet may begin a cell with a formula: the start of the text, and after a separator. Programs
 * guess the separator (many European locales use a semicolon), and then split a text that we quoted as one cell. Blanks
 * and quotes before the sign do not help, and full-width signs are converted to the usual ones.
 */
const FORMULA = /(?<=^|[;\t\r\n|])(?=[ "']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would run as a formula is prefixed with an apostrophe, which
 * makes it plain text.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** The file name contains the UTC date. */
export function csvFile(name: string, at: Date, chunks: AsyncGenerator<string>): StreamedFile {
  return { fileName: `${name}-${at.toISOString().slice(0, 10)}.csv`, contentType: 'text/csv; charset=utf-8', chunks };
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = value.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
