/** Values for the template of a card. */
export type CardContent = Readonly<Record<string, unknown>>;

/** The content of a card, or an error that the card shows. */
export type Card =
  | { readonly failed: true; readonly isHidden: false; readonly requestId: string }
  | ({ readonly failed: false } & CardContent);

/** Number of rows that are visible; a click shows the others. */
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
  // A single further row takes no more space than the line that would hide it.
  const cut = rows.length > SHOWN + 1 ? SHOWN : rows.length;
  return { shown: rows.slice(0, cut), rest: rows.slice(cut), hasRest: cut < rows.length };
}
