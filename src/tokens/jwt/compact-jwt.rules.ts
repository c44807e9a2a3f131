/** Longer JWTs are not read. */
const MAX_LENGTH = 8192;
const MAX_JTI_LENGTH = 256;

/** A JWT in compact form (RFC 7515 section 3.1), before verification. */
export interface CompactJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

export function isCompactJwt(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/** Null: another format, or header or claims are not JSON objects. */
export function readCompactJwt(text: string): CompactJwt | null {
  if (!isCompactJwt(text)) return null;
  const [header, claims] = text.split('.').map(objectIn);
  return header && claims ? { header, claims } : null;
}

/**
 * `typ` as a complete media type, in lower case (RFC 7515 section 4.1.9). Undefined if it is absent; a value that is no
 * text is returned unchanged.
 */
export function mediaTypeOf({ header: { typ } }: CompactJwt): unknown {
  if (typeof typ !== 'string') return typ;
  const name = typ.toLowerCase();
  return name.includes('/') ? name : `application/${name}`;
}

/**
 * Whether the header has extensions that a recipient must understand (RFC 7515 section 4.1.11). This service understands
 * none, and `b64` must not be used in JWTs (RFC 7797 section 7).
 */
export function hasExtensions({ header }: CompactJwt): boolean {
  return header['crit'] !== undefined;
}

/** A `jti` that can be stored (RFC 7519 section 4.1.7). */
export function isJti(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_JTI_LENGTH;
}

function objectIn(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
