/**
 * Endpoints whose refusals also carry `error` and `error_description` (RFC 6749 section 5.2). A list of paths and not
 * of handlers: a body that cannot be parsed is refused before any handler is known.
 */
const OAUTH_PATHS: ReadonlySet<string> = new Set([
  '/auth/device-authorization',
  '/auth/par',
  '/auth/register',
  '/auth/token',
  '/token/exchange',
  '/token/introspect',
  '/token/revoke',
  '/userinfo',
]);
/** Our own, of the specification. */
const OTHER_TOKEN_PATHS: ReadonlySet<string> = new Set(['/token/refresh', '/token/verify']);

export function isOAuthPath(path: string): boolean {
  return OAUTH_PATHS.has(withoutSlash(path));
}

/** Programs alone ask here, and none can read a page: the answer is JSON, whatever they accept (RFC 6749 section 5.2). */
export function isTokenPath(path: string): boolean {
  return isOAuthPath(path) || OTHER_TOKEN_PATHS.has(withoutSlash(path));
}

export function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
