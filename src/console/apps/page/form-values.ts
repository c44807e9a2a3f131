import type { Fields } from '../../frame/requests/console-request.js';

/** From a field with a line for each; undefined where the field was not sent. */
export function linesOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** What is no whole number stays as it was typed, so that the request class refuses it. */
export function wholeOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Of fields that are alike: the names behind the prefix of those that are ticked. */
export function tickedOf(fields: Fields, prefix: string): string[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith(prefix) && fields[name] === 'on')
    .map((name) => name.slice(prefix.length));
}
