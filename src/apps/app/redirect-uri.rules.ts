import { parseUrl } from '../../common/validation/parse-url.js';

const MAX_LENGTH = 2048;
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'filesystem:']);
/**
 * Hosts for which any port is accepted: the two in RFC 8252 section 7.3, and `localhost`, which command-line clients
 * use too.
 */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:\/|\?).*)?$/;

const CONSOLE_CALLBACK = '/console/callback';
/** Pages of the embedded mode that simulate an app: the only pages of the service that an app may redirect to. */
const DEV_PAGES = '/dev/';

/**
 * A Console app's redirect URI follows from the service's address and cannot be changed. Those of other apps never lead
 * to the service itself, see {@link leadsToService}.
 */
export function redirectUrisOf(
  app: { readonly isConsoleApp: boolean; readonly config: { readonly redirect_uris: readonly string[] } },
  baseUrl: string,
): readonly string[] {
  if (app.isConsoleApp) return [`${baseUrl}${CONSOLE_CALLBACK}`];
  return app.config.redirect_uris.filter((uri) => !leadsToService(uri, baseUrl));
}

/**
 * Whether an address is a page of this service. If an app could redirect a browser there after one of our forms, it
 * could forge requests: the browser sends `Sec-Fetch-Site: same-origin` with such a redirect.
 */
export function leadsToService(uri: string, baseUrl: string): boolean {
  const url = parseUrl(uri);
  return url?.origin === new URL(baseUrl).origin && !url.pathname.startsWith(DEV_PAGES);
}

/** @returns why a redirect URI cannot be registered, or null */
export function judgeRegistration(uri: string, baseUrl: string): string | null {
  if (uri.length > MAX_LENGTH) return `Redirect URI is longer than ${MAX_LENGTH} characters`;
  if (/[\s\p{Cc}\\*<>"`]/u.test(uri))
    return 'Redirect URI must not contain blanks, backslashes, wildcards or control characters';
  if (uri.includes('#')) return 'Redirect URI must not contain a fragment';
  const url = parseUrl(uri);
  if (!url) return 'Redirect URI must be an absolute URI';
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return 'Redirect URI scheme is not allowed';
  if (url.username || url.password || /^[^/]*\/\/[^/?]*@/.test(uri))
    return 'Redirect URI must not contain user information';
  // Parsers disagree about `https:host` and `https:/host`: some read them as if the slashes were there.
  if (/^https?:/i.test(uri) && !/^https?:\/\/[^/]/i.test(uri)) return 'Redirect URI must be an absolute URI';
  if (leadsToService(uri, baseUrl)) return 'Redirect URI must not be an address of this service';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') {
    const loopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
    return loopback ? null : 'Redirect URI must use https, except on a loopback address';
  }
  return url.protocol.includes('.') ? null : 'Custom schemes must be reverse-domain names, such as com.example.app';
}

/**
 * As {@link judgeRegistration}, for a client that registers itself: ASCII only (RFC 3986), so that no letter can look
 * like another.
 */
export function judgeSelfRegistration(uri: string, baseUrl: string): string | null {
  if (!/^[\x21-\x7e]*$/.test(uri))
    return 'Redirect URI must be ASCII: write the host in Punycode and percent-encode the rest';
  return judgeRegistration(uri, baseUrl);
}

/**
 * Compares exact strings; only the port of a loopback address is free. If the service itself is at a loopback address,
 * a redirect URI with the service's port must be registered exactly.
 */
export function matchesRedirectUri(registered: readonly string[], presented: string, baseUrl: string): boolean {
  if (registered.includes(presented)) return true;
  if (leadsToService(presented, baseUrl)) return false;
  const loopback = withoutLoopbackPort(presented);
  return loopback !== null && registered.some((uri) => withoutLoopbackPort(uri) === loopback);
}

/** `query` for http(s): the app receives a code, never tokens. `native` for custom schemes. */
export function deliveryOf(redirectUri: string): 'query' | 'native' {
  return /^https?:/i.test(redirectUri) ? 'query' : 'native';
}

/** Appends parameters to the registered URI, after its own query. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string | null>>): string {
  const added = Object.entries(parameters)
    .filter((parameter): parameter is [string, string] => parameter[1] !== null)
    // Encodes a blank as `%20`, because not every client decodes `+` as a blank.
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added.join('&')}`;
}

function withoutLoopbackPort(uri: string): string | null {
  const match = LOOPBACK.exec(uri);
  if (!match || parseUrl(uri)?.username !== '') return null;
  return `${match[1]}${match[2] ?? ''}`;
}
