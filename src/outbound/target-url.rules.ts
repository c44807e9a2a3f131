import { judgeHost } from './host.rules.js';
import { parseUrl } from '../common/validation/parse-url.js';

const MAX_LENGTH = 2048;
/** Allowed in addition to the default port of the scheme. */
const PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/**
 * @returns why the service would not call this URL on behalf of a tenant, or null. The addresses of a name are checked
 * again at each connection; this is the early answer for the user who enters it.
 * @param allowPrivate ALLOW_PRIVATE_NETWORK_TARGETS: http and private addresses too
 */
export function judgeTargetUrl(text: string, allowPrivate: boolean): string | null {
  if (text.length > MAX_LENGTH) return `URL is longer than ${MAX_LENGTH} characters`;
  const url = parseUrl(text);
  if (!url || /[\s\\\p{Cc}]/u.test(text)) return 'URL must be absolute and without blanks';
  const isWeb = url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:');
  if (!isWeb) return 'URL must use https';
  // Parsers disagree about `https:host` and `https:///host`: some read them as if there were two slashes.
  if (!/^https?:\/\/[^/]/i.test(text)) return 'URL must be absolute and without blanks';
  // Checked in the text as well: parsing removes an empty name before the `@`.
  if (url.username || url.password || /^\w+:\/\/[^/?#]*@/.test(text)) return 'URL must not contain user information';
  if (text.includes('#')) return 'URL must not contain a fragment';
  if (allowPrivate) return null;
  if (!PORTS.has(url.port)) return 'URL must use port 443 or 8443';
  return judgeHost(url) === 'refused' ? 'URL must not lead to a private address' : null;
}
