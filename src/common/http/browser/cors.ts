import type { NextFunction, Request, Response } from 'express';

/** Routes that use bearer tokens or bodies, never cookies (docs/conventions.md, section 9). */
const OPEN =
  /^\/(?:\.well-known\/|token\/|auth\/(?:token|register|par)$|userinfo$|push\/devices(?:\/|$)|push\/vapid\/|admin(?:\/|$))/;
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE';
/** Headers that pages, libraries and tracing send. The service does not read all of them. */
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-Request-Id',
  'X-Requested-With',
  'DPoP',
  'MCP-Protocol-Version',
  'traceparent',
  'tracestate',
  'baggage',
].join(', ');

/** Allows any origin, never with credentials. All other routes have no CORS headers. */
export function cors(request: Request, response: Response, next: NextFunction): void {
  if (!OPEN.test(request.path)) return next();
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader(
    'Access-Control-Expose-Headers',
    'X-Request-Id, X-Total-Count, Link, Retry-After, WWW-Authenticate',
  );
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return next();
  response.setHeader('Access-Control-Allow-Methods', ALLOWED_METHODS);
  response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  response.setHeader('Access-Control-Max-Age', '7200');
  response.status(204).end();
}
