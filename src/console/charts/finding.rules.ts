const WEEK = 7;

/** What is counted, in words: `['sign-in', 'sign-ins']`. */
export type Noun = readonly [one: string, many: string];

/**
 * The finding of a chart as a sentence: the last seven days that are over against the seven before. Today is not over,
 * so it is left out of the comparison; whole weeks, because weekends are quiet.
 * @param values a number a day, the last one today
 */
export function finding(values: readonly number[], noun: Noun): string {
  const full = values.slice(0, -1);
  const week = sum(full.slice(-WEEK));
  const before = full.slice(-2 * WEEK, -WEEK);
  if (sum(values) === 0) return `No ${noun[1]} in ${values.length} days`;
  if (week === 0 && before.length === WEEK && sum(before) === 0) return `No ${noun[1]} in the last 14 days`;
  const said = `${counted(week, noun)} in the last 7 days`;
  return before.length === WEEK ? `${said}, ${compared(week - sum(before))}` : said;
}

/** The same for what must not be added up over days (a person who comes every day is one person). */
export function findingOfPeak(values: readonly number[], days: readonly string[], noun: Noun): string {
  const most = Math.max(...values);
  if (most === 0) return `No ${noun[1]} in ${values.length} days`;
  return `Peak: ${counted(most, noun)}, on ${dayInWords(days[values.lastIndexOf(most)]!)}`;
}

/** `2026-11-05` → `5 Nov`. */
export function dayInWords(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

function compared(difference: number): string {
  if (difference === 0) return 'the same as in the previous 7';
  const more = difference > 0 ? 'more' : 'fewer';
  return `${Math.abs(difference).toLocaleString('en')} ${more} than in the previous 7`;
}

function counted(count: number, [one, many]: Noun): string {
  return `${count === 0 ? 'no' : count.toLocaleString('en')} ${count === 1 ? one : many}`.replace(/^n/, 'N');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
