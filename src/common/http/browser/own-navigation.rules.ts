import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '../../validation/parse-url.js';

/**
 * Whether a user followed a link of our own pages: only then does a GET change anything.
 * A page of ours may show an image whose address a user has chosen (a logo), so it must be a page that is asked
 * for. Browsers that send no Sec-Fetch-Site may still say where they come from.
 */
export function isOwnNavigation(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    const destination = headers['sec-fetch-dest'];
    return site === 'same-origin' && (destination === undefined || destination === 'document');
  }
  const { referer } = headers;
  return referer !== undefined && parseUrl(referer)?.origin === ownOrigin;
}
