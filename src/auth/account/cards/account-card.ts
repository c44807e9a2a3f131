/** What the template of a card needs. */
export type CardContent = Readonly<Record<string, unknown>>;

/** What a card shows, or that it could not be read: then it is there to say so. */
export type Card =
  | { readonly failed: true; readonly isHidden: false; readonly requestId: string }
  | ({ readonly failed: false } & CardContent);

/** Rows that are shown at once; the others open on a click. */
const SHOWN = 5;

export async function cardOf(
  read: () => Promise<CardContent>,
  requestId: string,
  report: (error: Error) => void,
): Promise<Card> {
  try {
    return { ...(await read()), failed: false };
  } catch (error) {
    report(error as Error);
    return { failed: true, isHidden: false, requestId };
  }
}

export function folded<Row>(rows: readonly Row[]): { shown: readonly Row[]; rest: readonly Row[]; hasRest: boolean } {
  // One row more takes no more room than the line that would hide it.
  const cut = rows.length > SHOWN + 1 ? SHOWN : rows.length;
  return { shown: rows.slice(0, cut), rest: rows.slice(cut), hasRest: cut < rows.length };
}
