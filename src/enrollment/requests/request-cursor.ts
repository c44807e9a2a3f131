/** A user, and the app to which they requested access. */
export interface RequestKey {
  readonly appId: string;
  readonly userId: string;
}

/** A position in the queue of requests: the last row of a page. */
export interface RequestCursor extends RequestKey {
  /** Microseconds since 1970. */
  readonly micros: string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CURSOR = new RegExp(`^(\\d{1,16})\\.(${UUID})\\.(${UUID})$`);

/** Opaque for clients. */
export function writeRequestCursor({ micros, appId, userId }: RequestCursor): string {
  return Buffer.from(`${micros}.${appId}.${userId}`).toString('base64url');
}

/** Null for a text that is not a cursor. */
export function readRequestCursor(text: unknown): RequestCursor | null {
  if (typeof text !== 'string') return null;
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  return match ? { micros: match[1]!, appId: match[2]!, userId: match[3]! } : null;
}
