import type { Fields } from '../requests/console-request.js';

/** The lines of a text field; undefined if the field was not sent. */
export function linesOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A text that is not a whole number is returned unchanged, so that the request class refuses it. */
export function wholeOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Names of the checked fields with this prefix, without the prefix. */
export function tickedOf(fields: Fields, prefix: string): string[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith(prefix) && fields[name] === 'on')
    .map((name) => name.slice(prefix.length));
}

/** The options of a selection, in the order of the labels. @param chosen null or absent: the empty value */
export function optionsOf(labels: Readonly<Record<string, string>>, chosen: string | null | undefined) {
  return Object.entries(labels).map(([value, label]) => ({ value, label, isChosen: value === (chosen ?? '') }));
}
