import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '../../validation/parse-url.js';

/**
 * Whether the user followed a link on a page of this service: only then does a GET change anything. It must be a
 * navigation, because a page may show an image (a logo) whose address a user has chosen. Browsers without
 * Sec-Fetch-Site may still send Referer.
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
