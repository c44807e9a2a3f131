/** The counted noun: `['sign-in', 'sign-ins']`. */
export type Noun = readonly [one: string, many: string];

/** The number of buckets in a chart, and their unit. */
export interface Span {
  readonly length: number;
  readonly unit: 'day' | 'hour';
}

/**
 * The finding of a chart as a sentence: compares the complete buckets of the span with as many before them. The last
 * bucket is not complete, so it is left out.
 * @param values of more buckets than the span, if available: a comparison needs at least twice as many plus one
 */
export function finding(values: readonly number[], noun: Noun, { length, unit }: Span): string {
  const full = values.slice(0, -1);
  const now = sum(full.slice(-length));
  const before = full.slice(-2 * length, -length);
  const isComparable = before.length === length;
  if (now === 0 && sum(before) === 0) return `No ${noun[1]} in the last ${length} ${unit}s`;
  const said = `${counted(now, noun)} in the last ${length} ${unit}s`;
  return isComparable ? `${said}, ${compared(now - sum(before), length)}` : said;
}

/**
 * The finding for values that must not be added up over days (a user who comes every day is one user).
 * @param times as text, one for each value, with a preposition: `on 5 Nov`
 */
export function findingOfPeak(values: readonly number[], times: readonly string[], noun: Noun, { unit }: Span): string {
  const most = Math.max(...values);
  if (most === 0) return `No ${noun[1]} in the last ${values.length} ${unit}s`;
  return `Peak: ${counted(most, noun)}, ${times[values.lastIndexOf(most)]!}`;
}

function compared(difference: number, length: number): string {
  if (difference === 0) return `the same as in the previous ${length}`;
  const more = difference > 0 ? 'more' : 'fewer';
  return `${Math.abs(difference).toLocaleString('en')} ${more} than in the previous ${length}`;
}

function counted(count: number, [one, many]: Noun): string {
  return `${count === 0 ? 'no' : count.toLocaleString('en')} ${count === 1 ? one : many}`.replace(/^n/, 'N');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
