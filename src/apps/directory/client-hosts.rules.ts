import { parseUrl } from '../../common/validation/parse-url.js';
import { isLoopbackHost } from '../../config/loopback.rules.js';
import type { App } from '../app/app.entity.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';

/** By what a user knows again a client that has registered itself, besides its name. */
export interface ClientHosts {
  /** The host that has published it; null: it has registered by a request. */
  readonly publisher: string | null;
  /** Where its sign-ins lead to, without those on the user's own device. */
  readonly leadsTo: readonly string[];
  /** Its sign-ins can also lead to a program on the device that the user signs in on. */
  readonly isOnDevice: boolean;
}

/** Null: operators of the tenant have made the app. */
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
