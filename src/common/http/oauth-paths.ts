/**
 * Endpoints whose refusals also carry `error` and `error_description` (RFC 6749 section 5.2). A list of paths and not
 * of handlers: a body that cannot be parsed is refused before any handler is known.
 */
export const OAUTH_PATHS: ReadonlySet<string> = new Set([
  '/auth/device-authorization',
  '/auth/par',
  '/auth/register',
  '/auth/token',
  '/token/exchange',
  '/token/introspect',
  '/token/revoke',
  '/userinfo',
]);
