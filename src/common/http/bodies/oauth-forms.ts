import type { NextFunction, Request, Response } from 'express';
import { withoutForbiddenNames } from '../../validation/hostile-json.js';
import { isOAuthPath, withoutSlash } from './oauth-paths.js';

/** The maximum length of the field. */
const MAX_RESOURCE_LENGTH = 512;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
/**
 * Endpoints for which RFC 6749, 7009, 7662, 8628 and 9126 define the refusal of a request. JSON requests to them are
 * not part of these standards and get 422.
 */
const STANDARD_PATHS: ReadonlySet<string> = new Set([
  '/auth/device-authorization',
  '/auth/par',
  '/auth/token',
  '/token/introspect',
  '/token/revoke',
]);

/** Pages whose parameters may be sent as a form instead of a query. */
const PROTOCOL_PAGES: ReadonlySet<string> = new Set(['/login', '/logout']);

/** A request to an endpoint of the OAuth standards, which define forms. */
export function isForStandardForm({ path }: Pick<Request, 'path'>): boolean {
  return STANDARD_PATHS.has(withoutSlash(path));
}

/** As {@link isForStandardForm}, for a form, or for no body: anything but JSON. */
export function isStandardRequest(request: Pick<Request, 'headers' | 'path'>): boolean {
  return isForStandardForm(request) && !JSON_TYPE.test(request.headers['content-type'] ?? '');
}

/** RFC 7591 section 3.1 defines a JSON request, and section 3.2.2 its errors. */
export function isRegistration({ path }: Pick<Request, 'path'>): boolean {
  return withoutSlash(path) === '/auth/register';
}

/**
 * Middleware after the form parser: treats parameters without a value as omitted, and unknown ones whatever their names
 * (RFC 6749 sections 3.1 and 3.2). Many libraries send all parameters that they know, with or without a value.
 */
export function normalizeOAuthForms(request: Request, _response: Response, next: NextFunction): void {
  if (isForm(request) && (isOAuth(request.path) || PROTOCOL_PAGES.has(withoutSlash(request.path)))) {
    const named = withoutForbiddenNames((request.body ?? {}) as Record<string, unknown>);
    request.body = isOAuth(request.path) ? oneTarget(withoutEmpty(named)) : named;
  }
  next();
}

/**
 * RFC 8707 section 2 and RFC 8693 section 2.1 allow several resources in a request. A repeated resource counts once. A
 * token of this service is for a single resource, so several are joined to a name that no resource has: the request is
 * refused with `invalid_target` instead of as a repeated parameter.
 */
function oneTarget(parameters: Record<string, unknown>): Record<string, unknown> {
  const joined = ['resource', 'audience'].flatMap((name) => {
    const value = parameters[name];
    return Array.isArray(value) ? [[name, [...new Set(value)].join(' ').slice(0, MAX_RESOURCE_LENGTH)]] : [];
  });
  return joined.length === 0 ? parameters : { ...parameters, ...(Object.fromEntries(joined) as object) };
}

/** A repeated resource counts once, as in these forms. Different ones remain a list. */
export function withOneResource(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { resource } = parameters;
  const [only, ...others] = Array.isArray(resource) ? new Set<unknown>(resource) : [];
  return only !== undefined && others.length === 0 ? { ...parameters, resource: only } : parameters;
}

/** The parameters that have a value. */
export function withoutEmpty(parameters: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters ?? {}).filter(([, value]) => value !== ''));
}

function isForm({ headers }: Pick<Request, 'headers'>): boolean {
  return FORM_TYPE.test(headers['content-type'] ?? '');
}

function isOAuth(path: string): boolean {
  return isOAuthPath(path) || withoutSlash(path) === '/token/refresh';
}
