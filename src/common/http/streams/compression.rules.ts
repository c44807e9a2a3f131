import type { IncomingHttpHeaders } from 'node:http';

/** A smaller answer fits into one packet anyway. */
const MIN_BYTES = 1_000;

interface CompressibleRequest {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a page may be compressed. The compressed length reveals whether a guess in the page repeats a secret in it,
 * such as the form token (BREACH). No other site may therefore be able to put a guess into a page that it requests with
 * the user's cookies: the page must be opened by the user or by a page of the service, and must not repeat any part of
 * the request. See docs/decisions/0050.
 */
export function mayCompressPage(request: CompressibleRequest, status: number, bytes: number): boolean {
  const { method, originalUrl, headers } = request;
  const site = headers['sec-fetch-site'];
  const destination = headers['sec-fetch-dest'];
  return (
    method === 'GET' &&
    status === 200 &&
    bytes >= MIN_BYTES &&
    !originalUrl.includes('?') &&
    (site === 'same-origin' || site === 'none') &&
    // Excludes images on the service's pages (a logo), whose address an attacker may choose; `empty` is htmx.
    (destination === 'document' || destination === 'empty')
  );
}

/**
 * Whether a JSON answer may be compressed: only for GET, whose answers never contain a token or secret, with a bearer
 * token or without any credentials. A foreign page can make a browser send cookies, but no bearer token that the page
 * does not know.
 */
export function mayCompressJson({ method, headers }: CompressibleRequest, status: number, bytes: number): boolean {
  const isWithoutCookies = headers.authorization !== undefined || headers.cookie === undefined;
  return method === 'GET' && status === 200 && bytes >= MIN_BYTES && isWithoutCookies;
}
