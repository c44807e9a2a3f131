import { parseUrl } from '../../common/validation/parse-url.js';
import { judgeSelfRegistration } from '../app/redirect-uri.rules.js';

/** As long as an identifier of a protected resource. */
const MOST_LENGTH = 512;
const MOST_REDIRECT_URIS = 20;
/** RFC 8628 section 3.4. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Seconds for which a document is taken as it was read. */
const SHORTEST = 300;
const LONGEST = 86_400;
const DEFAULT = 3_600;

/** What counts of a document: a client without a secret, with places that a sign-in may lead to. */
export interface ClientDocument {
  readonly redirectUris: readonly string[];
  /** It asks for sign-ins of devices (RFC 8628). */
  readonly usesDevices: boolean;
}

/**
 * The address of a document (draft-ietf-oauth-client-id-metadata-document, section 3): https, with a path, and in one
 * spelling, so that two texts are never one client. Null: it is no such address.
 */
export function readClientUrl(text: string): URL | null {
  if (text.length > MOST_LENGTH || !text.startsWith('https://')) return null;
  const url = parseUrl(text);
  // Dot segments, upper case and default ports are gone from what was parsed; so is an empty user name.
  if (!url || url.href !== text || url.hash || text.includes('#') || url.username || url.password) return null;
  return url.pathname === '/' || /%2e|%2f|%5c/i.test(url.pathname) ? null : url;
}

/** Null: nothing that a client without a secret could be made of. */
export function readDocument(parsed: unknown, url: string, baseUrl: string): ClientDocument | null {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const document = parsed as Readonly<Record<string, unknown>>;
  const { redirect_uris: uris, grant_types: grants = [], token_endpoint_auth_method: method = 'none' } = document;
  if (document['client_id'] !== url || method !== 'none' || document['client_secret'] !== undefined) return null;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_REDIRECT_URIS) return null;
  const isGood = uris.every((uri) => typeof uri === 'string' && judgeSelfRegistration(uri, baseUrl) === null);
  if (!isGood || !Array.isArray(grants)) return null;
  return { redirectUris: [...new Set(uris as string[])], usesDevices: grants.includes(DEVICE_CODE_GRANT) };
}

/** `application/json`, or its own type that is JSON (RFC 6839 section 3.1). */
export function isJson(contentType: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

/** RFC 9111 section 5.2.2, within bounds: a client that is taken back stops soon, and no page waits for each request. */
export function secondsToKeep(cacheControl: string | null): number {
  const directives = (cacheControl ?? '').toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(directives)) return SHORTEST;
  const age = /(?:^|[\s,])max-age="?(\d{1,9})/.exec(directives)?.[1];
  return age === undefined ? DEFAULT : Math.min(LONGEST, Math.max(SHORTEST, Number(age)));
}
