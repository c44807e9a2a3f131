import type { IncomingMessage } from 'node:http';

/** Maximum size of a body, decompressed. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Maximum body of routes with large bodies: a tenant with about 100,000 users, or 500 long notifications. */
export const MAX_LARGE_BODY_BYTES = 32 * 1024 * 1024;

/** An import may take minutes, a batch takes a second. They have separate limits, so that neither blocks the other. */
export type LargeBodyKind = 'imports' | 'batches';

/**
 * Paths that accept large bodies. These are paths, not handlers, because the body parser runs before the router.
 * Another spelling of a path that the router would accept only gets the ordinary limit.
 */
const LARGE_BODY_PATHS: ReadonlyMap<string, LargeBodyKind> = new Map([
  ['/admin/apps/import', 'imports'],
  ['/admin/tenants/import', 'imports'],
  ['/push/send/batch', 'batches'],
]);
const JSON_TYPE = /^application\/json\s*(;|$)/i;

type Incoming = Pick<IncomingMessage, 'headers' | 'url' | 'method'>;

/** A body that is parsed immediately: the `type` of the JSON parser before the router. */
export function isOrdinaryJson(request: IncomingMessage): boolean {
  return JSON_TYPE.test(request.headers['content-type'] ?? '') && !isLargeBody(request);
}

/**
 * A body that may be large, and is read only after the caller is authorized ({@link LargeBodyInterceptor}). Small ones
 * are parsed like all others. A body without a length, or a compressed one, counts as large.
 */
export function isLargeBody({ headers, url, method }: Incoming): boolean {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '')) return false;
  if (kindOfLargeBody({ url }) === null) return false;
  const isPacked = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  const length = Number(headers['content-length'] ?? Number.NaN);
  return isPacked || !(length <= MAX_BODY_BYTES);
}

/** Determined by the path; null: the path accepts no large body. */
export function kindOfLargeBody({ url }: Pick<Incoming, 'url'>): LargeBodyKind | null {
  return LARGE_BODY_PATHS.get((url ?? '').split('?', 1)[0]!) ?? null;
}
