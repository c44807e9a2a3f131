import { withoutEnd } from '../common/without-end.js';
import type { InputFault } from '../common/validation/invalid-input.js';
import { parseUrl } from '../common/validation/parse-url.js';

/** An API for which apps of a tenant get tokens (RFC 8707). */
export interface ProtectedResource {
  /** The value of `resource` in requests and of `aud` in tokens, exactly. */
  readonly identifier: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Lifetime of its access tokens. */
  readonly token_lifetime_minutes: number;
}

export const MAX_RESOURCES = 50;
export const MAX_RESOURCE_SCOPES = 50;
export const IDENTIFIER_LENGTH = 512;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

/** @returns why it cannot identify a resource, or null. RFC 8707 section 2: an absolute URI without a fragment */
export function judgeIdentifier(identifier: string, baseUrl: string): string | null {
  if (identifier.length > IDENTIFIER_LENGTH) return `Identifier is longer than ${IDENTIFIER_LENGTH} characters`;
  if (/[\s\p{Cc}\\<>"`]/u.test(identifier)) return 'Identifier must not contain blanks, quotes or backslashes';
  if (identifier.includes('#')) return 'Identifier must not contain a fragment';
  const url = parseUrl(identifier);
  if (!url || !/^[a-z][a-z0-9+.-]*:./i.test(identifier)) return 'Identifier must be an absolute URI';
  if (url.username || url.password) return 'Identifier must not contain user information';
  // An API may treat other spellings of its URL as its own.
  if (/^https?:$/.test(url.protocol) && url.href !== identifier && url.href !== `${identifier}/`)
    return `Identifier must be spelled ${url.href}`;
  // The service's own tokens for itself have this audience, and give access to the service.
  return url.origin === new URL(baseUrl).origin ? 'Identifier must not be an address of this service' : null;
}

/**
 * Normalized form in which identifiers of two tenants must differ, as in the trigger on `tenants`: an API may treat the
 * other spellings as its own.
 */
export function comparedIdentifier(identifier: string): string {
  return withoutEnd(identifier, '/').toLowerCase();
}

/** @param reserved scopes with another meaning */
export function judgeResources(
  resources: readonly ProtectedResource[],
  baseUrl: string,
  reserved: readonly string[],
): InputFault[] {
  return resources.flatMap((resource, index): InputFault[] => {
    const isTwice = resources.findIndex(({ identifier }) => identifier === resource.identifier) < index;
    const msg = isTwice ? 'Identifier is named twice' : judgeResource(resource, baseUrl, reserved);
    return msg === null ? [] : [{ loc: ['body', 'resources', index], msg, type: 'value_error' }];
  });
}

function judgeResource(
  { identifier, name, scopes, token_lifetime_minutes: minutes }: ProtectedResource,
  baseUrl: string,
  reserved: readonly string[],
): string | null {
  const reason = judgeIdentifier(identifier, baseUrl);
  if (reason) return reason;
  if (name.trim() === '') return 'Name is missing';
  const malformed = scopes.find((scope) => !SCOPE.test(scope));
  if (malformed !== undefined) return `Not a scope: ${malformed}`;
  const taken = scopes.find((scope) => reserved.includes(scope));
  if (taken !== undefined) return `Scope has another meaning here: ${taken}`;
  const isWhole = Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440;
  return isWhole ? null : 'Token lifetime must be 1 to 1440 minutes';
}
