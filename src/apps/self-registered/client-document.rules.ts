import { parseUrl } from '../../common/validation/parse-url.js';
import { judgeSelfRegistration } from '../app/redirect-uri.rules.js';

/** As long as the identifier of a protected resource. */
const MAX_URL_LENGTH = 512;
const MAX_REDIRECT_URIS = 20;
/** RFC 8628 section 3.4. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Seconds for which a document counts as current. */
const SHORTEST = 300;
const LONGEST = 86_400;
const DEFAULT = 3_600;

/** The metadata that is used: a client without a secret, with its redirect URIs. */
export interface ClientDocument {
  readonly redirectUris: readonly string[];
  /** The client uses the device grant (RFC 8628). */
  readonly usesDevices: boolean;
}

/**
 * Parses the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document, section 3): https, with a path,
 * in its normalized spelling, so that two texts are never the same client. Null: not such a URL.
 */
export function readClientUrl(text: string): URL | null {
  if (text.length > MAX_URL_LENGTH || !text.startsWith('https://')) return null;
  const url = parseUrl(text);
  // Parsing removes dot segments, upper case, default ports and an empty user name, so a URL with one of them differs
  // from its text.
  if (!url || url.href !== text || url.hash || text.includes('#') || url.username || url.password) return null;
  return url.pathname === '/' || /%2e|%2f|%5c/i.test(url.pathname) ? null : url;
}

/** Null: the document does not describe a valid client without a secret. */
export function readDocument(parsed: unknown, url: string, baseUrl: string): ClientDocument | null {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const document = parsed as Readonly<Record<string, unknown>>;
  const { redirect_uris: uris, grant_types: grants = [], token_endpoint_auth_method: method = 'none' } = document;
  if (document['client_id'] !== url || method !== 'none' || document['client_secret'] !== undefined) return null;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) return null;
  const isGood = uris.every((uri) => typeof uri === 'string' && judgeSelfRegistration(uri, baseUrl) === null);
  if (!isGood || !Array.isArray(grants)) return null;
  return { redirectUris: [...new Set(uris as string[])], usesDevices: grants.includes(DEVICE_CODE_GRANT) };
}

/** `application/json`, or another JSON type (RFC 6839 section 3.1). */
export function isJson(contentType: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

/**
 * Cache lifetime of RFC 9111 section 5.2.2, within bounds, so that the withdrawal of a document takes effect soon, and
 * not every request waits for a fetch.
 */
export function secondsToKeep(cacheControl: string | null): number {
  const directives = (cacheControl ?? '').toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(directives)) return SHORTEST;
  const age = /(?:^|[\s,])max-age="?(\d{1,9})/.exec(directives)?.[1];
  return age === undefined ? DEFAULT : Math.min(LONGEST, Math.max(SHORTEST, Number(age)));
}
