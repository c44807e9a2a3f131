/**
 * Endpoints whose refusals contain `error` and `error_description` (RFC 6749 section 5.2). These are paths, not
 * handlers, because a body that cannot be parsed is refused before the router.
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
/** Endpoints of the specification that are not in the OAuth standards. */
const OTHER_TOKEN_PATHS: ReadonlySet<string> = new Set(['/token/refresh', '/token/verify']);

export function isOAuthPath(path: string): boolean {
  return OAUTH_PATHS.has(withoutSlash(path));
}

/** Endpoints for programs only: the answer is JSON, whatever the client accepts (RFC 6749 section 5.2). */
export function isTokenPath(path: string): boolean {
  return isOAuthPath(path) || OTHER_TOKEN_PATHS.has(withoutSlash(path));
}

export function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
