/**
 * A place in a list that is ordered by time and id, newest first: the last row of a page. `Link: rel="next"` carries it,
 * so that the next page costs the same however deep it lies, and no row is skipped or shown twice when others are added.
 */
export interface PageCursor {
  /** Microseconds since 1970: all that the database keeps, more than a Date does. */
  readonly micros: string;
  readonly id: string;
}

const CURSOR = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Opaque for the client. */
export function writeCursor({ micros, id }: PageCursor): string {
  return Buffer.from(`${micros}.${id}`).toString('base64url');
}

/** Null for a text that we have not written. */
export function readCursor(text: string): PageCursor | null {
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  return match ? { micros: match[1]!, id: match[2]! } : null;
}

/** SQL: the microseconds of a timestamptz. */
export function microsOf(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
}

/** SQL: the timestamptz of a parameter in microseconds. */
export function timeOf(parameter: string): string {
  return `('epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond')`;
}
