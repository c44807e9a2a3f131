/**
 * A position in a list ordered by time and id, newest first: the last row of a page. It is in `Link: rel="next"`. The
 * cost of a page does not depend on its position, and no row is skipped or repeated when others are added.
 */
export interface PageCursor {
  /** Microseconds since 1970: the precision of the database, which is higher than that of a Date. */
  readonly micros: string;
  readonly id: string;
}

const CURSOR = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Opaque for clients. */
export function writeCursor({ micros, id }: PageCursor): string {
  return Buffer.from(`${micros}.${id}`).toString('base64url');
}

/** Null for a text that is not a cursor. */
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
