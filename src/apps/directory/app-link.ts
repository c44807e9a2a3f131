import { parseUrl } from '../../common/validation/parse-url.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import type { RegisteredClient } from './app-directory.js';
import { withParameters } from '../app/redirect-uri.rules.js';

/** An address of an app for a browser, and whether a sign-in begins there. */
export interface AppLink {
  readonly href: string;
  readonly beginsSignIn: boolean;
}

/**
 * Where a browser goes that wants to use the app: the page that the app names for third-party initiated login (OpenID
 * Connect Core section 4), with its parameters `iss` and `login_hint`; otherwise the home page, `/` at the origin of the
 * first redirect URI on the web. Null for an app that has neither: one on a device. Null also for a client that has registered itself, which
 * names any address.
 */
export function appLink(
  { app, redirectUris }: Pick<RegisteredClient, 'app' | 'redirectUris'>,
  baseUrl: string,
  email: string,
): AppLink | null {
  if (isSelfRegistered(app)) return null;
  if (app.isConsoleApp) return { href: '/console/', beginsSignIn: true };
  const page = app.config.initiate_login_uri;
  if (page) return { href: withParameters(page, { iss: baseUrl, login_hint: email }), beginsSignIn: true };
  const home = redirectUris.map((uri) => parseUrl(uri)).find((url) => url && /^https?:$/.test(url.protocol));
  return home ? { href: `${home.origin}/`, beginsSignIn: false } : null;
}
