import { judgeHost } from './host.rules.js';
import { parseUrl } from '../common/validation/parse-url.js';

const MAX_LENGTH = 2048;
/** Beside the scheme's own. */
const PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/**
 * Why the service would not call this address on behalf of a tenant, or null. What a name resolves to is checked
 * again at each connection: this is the early answer for the user who enters it.
 * @param allowPrivate ALLOW_PRIVATE_NETWORK_TARGETS: http and private addresses too
 */
export function judgeTargetUrl(text: string, allowPrivate: boolean): string | null {
  if (text.length > MAX_LENGTH) return `URL is longer than ${MAX_LENGTH} characters`;
  const url = parseUrl(text);
  if (!url || /[\s\\\p{Cc}]/u.test(text)) return 'URL must be absolute and without blanks';
  const isWeb = url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:');
  if (!isWeb) return 'URL must use https';
  // `https:host` and `https:///host` are read as if there were two slashes, by some and not by others.
  if (!/^https?:\/\/[^/]/i.test(text)) return 'URL must be absolute and without blanks';
  // In the text as well: an empty name before the `@` leaves no trace in what was parsed.
  if (url.username || url.password || /^\w+:\/\/[^/?#]*@/.test(text)) return 'URL must not contain user information';
  if (text.includes('#')) return 'URL must not contain a fragment';
  if (allowPrivate) return null;
  if (!PORTS.has(url.port)) return 'URL must use port 443 or 8443';
  return judgeHost(url) === 'refused' ? 'URL must not lead to a private address' : null;
}
