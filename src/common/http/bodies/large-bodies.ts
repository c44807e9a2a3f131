import type { IncomingMessage } from 'node:http';

/** What every body may weigh, unpacked. */
export const BODY_LIMIT = 256 * 1024;
/** The largest body of routes that accept much: a tenant with about 100,000 users, or 500 long notifications. */
export const LARGE_BODY_LIMIT = 32 * 1024 * 1024;

/** Work on an import may take minutes, on a batch a second: neither keeps the other out. */
export type LargeBodyKind = 'imports' | 'batches';

/**
 * Where large bodies are taken. A list of paths and not of handlers: the body parser runs before any handler is known.
 * Another spelling that the router would understand as well only means the ordinary limit.
 */
const LARGE_BODY_PATHS: ReadonlyMap<string, LargeBodyKind> = new Map([
  ['/admin/apps/import', 'imports'],
  ['/admin/tenants/import', 'imports'],
  ['/push/send/batch', 'batches'],
]);
const JSON_TYPE = /^application\/json\s*(;|$)/i;

type Incoming = Pick<IncomingMessage, 'headers' | 'url' | 'method'>;

/** A body that is read at once, by the one who sent it: the `type` of the JSON parser before the router. */
export function isOrdinaryJson(request: IncomingMessage): boolean {
  return JSON_TYPE.test(request.headers['content-type'] ?? '') && !isLargeBody(request);
}

/**
 * A body that may be large, and is read only once the caller is known and allowed ({@link LargeBodyInterceptor}). Small
 * ones go the way of all others. A body without a length, or compressed, counts as large.
 */
export function isLargeBody({ headers, url, method }: Incoming): boolean {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '')) return false;
  if (kindOfLargeBody({ url }) === null) return false;
  const isPacked = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  const length = Number(headers['content-length'] ?? Number.NaN);
  return isPacked || !(length <= BODY_LIMIT);
}

/** By its path; null: no large body is taken there. */
export function kindOfLargeBody({ url }: Pick<Incoming, 'url'>): LargeBodyKind | null {
  return LARGE_BODY_PATHS.get((url ?? '').split('?', 1)[0]!) ?? null;
}
