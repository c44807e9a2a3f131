import { parseUrl } from '../../common/validation/parse-url.js';
import { isLoopbackHost } from '../../config/loopback.rules.js';
import type { App } from '../app/app.entity.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';

/** Hosts by which a user recognizes a self-registered client, in addition to its name. */
export interface ClientHosts {
  /** Host of its metadata document; null: it registered by a request. */
  readonly publisher: string | null;
  /** Hosts of its redirect URIs, without those on the user's own device. */
  readonly leadsTo: readonly string[];
  /** A redirect URI leads to a program on the user's device. */
  readonly isOnDevice: boolean;
}

/** Null: operators of the tenant have created the app. */
export function clientHosts(app: Pick<App, 'origin' | 'metadataUrl' | 'config'>): ClientHosts | null {
  if (!isSelfRegistered(app)) return null;
  const urls = app.config.redirect_uris.map((uri) => parseUrl(uri));
  const isOnWeb = (url: URL | null): url is URL =>
    url !== null && /^https?:$/.test(url.protocol) && !isLoopbackHost(url.hostname);
  return {
    publisher: app.metadataUrl === null ? null : (parseUrl(app.metadataUrl)?.host ?? null),
    leadsTo: [...new Set(urls.filter(isOnWeb).map(({ host }) => host))],
    isOnDevice: !urls.every(isOnWeb),
  };
}
