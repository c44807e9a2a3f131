import { isIP } from 'node:net';
import { parseUrl } from '../common/validation/parse-url.js';

/** No IP address and no wildcard: each website is listed. */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

/** Browsers are not required to support more than five (WebAuthn Level 3, section 5.11.1). */
const MAX_ORIGINS = 5;

/** PASSKEY_RELATED_ORIGINS: other websites that may use the passkeys of this host. */
export function readRelatedOrigins(text: string | undefined, baseUrl: string, faults: string[]): readonly string[] {
  const origins = (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const own = new URL(baseUrl).origin;
  const isRight = origins.every((each) => isRelated(each) && each !== own) && new Set(origins).size === origins.length;
  if (isRight && origins.length <= MAX_ORIGINS) return origins;
  faults.push(
    `PASSKEY_RELATED_ORIGINS must be at most ${MAX_ORIGINS} different origins such as https://shop.example, without a path, separated by commas`,
  );
  return [];
}

/** In the serialization that browsers use. */
function isRelated(origin: string): boolean {
  const url = parseUrl(origin);
  if (!url || url.origin !== origin || isIP(url.hostname) !== 0 || !HOST.test(url.hostname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost');
}
