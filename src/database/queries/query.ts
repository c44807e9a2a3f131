/**
 * A statement and its values. It is planned for these values each time, because a condition that is rare for one tenant
 * may match most rows of another.
 */
export interface Query {
  readonly text: string;
  readonly values: unknown[];
}

/** Adds a value to those of the statement. @returns its placeholder, `$1` and so on */
export type BindParameter = (value: unknown) => string;

/** For dynamic statements: the text never comes from outside, values go through `bind`. */
export function parameters(): { readonly bind: BindParameter; readonly values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${values.push(value)}`, values };
}
