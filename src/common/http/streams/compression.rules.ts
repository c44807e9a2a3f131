import type { IncomingHttpHeaders } from 'node:http';

/** Below this an answer is one packet in any case. */
const LEAST_BYTES = 1_000;

interface CompressibleRequest {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a page may be compressed. The length of a compressed page tells whether a guess in it repeats something else in
 * it, such as the form token (BREACH). So no other site may be able to put a guess into a page that it has asked for with
 * the user's cookies: the page is one that our own pages or the user opened, and nothing of the request is repeated in it.
 * The reasons are in docs/decisions/0050.
 */
export function mayCompressPage(request: CompressibleRequest, status: number, bytes: number): boolean {
  const { method, originalUrl, headers } = request;
  const site = headers['sec-fetch-site'];
  const destination = headers['sec-fetch-dest'];
  return (
    method === 'GET' &&
    status === 200 &&
    bytes >= LEAST_BYTES &&
    !originalUrl.includes('?') &&
    (site === 'same-origin' || site === 'none') &&
    // No image of one of our pages (a logo), whose address a stranger chooses; `empty` is htmx.
    (destination === 'document' || destination === 'empty')
  );
}

/**
 * Whether a JSON answer may be compressed: only to a GET, which never answers with a token or secret, with a bearer
 * token or without any credentials. A foreign page can make a browser send cookies, but no bearer token that the page
 * does not know.
 */
export function mayCompressJson({ method, headers }: CompressibleRequest, status: number, bytes: number): boolean {
  const isWithoutCookies = headers.authorization !== undefined || headers.cookie === undefined;
  return method === 'GET' && status === 200 && bytes >= LEAST_BYTES && isWithoutCookies;
}
