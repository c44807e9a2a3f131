/** A statement and its values, planned for these values alone: what is rare for one tenant is most of another's. */
export interface Query {
  readonly text: string;
  readonly values: unknown[];
}

/** Puts a value among those of the statement. @returns its name in the text, `$1` and so on */
export type Bind = (value: unknown) => string;

/** For statements that are put together: text never comes from outside, values go through `bind`. */
export function parameters(): { readonly bind: Bind; readonly values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${values.push(value)}`, values };
}
