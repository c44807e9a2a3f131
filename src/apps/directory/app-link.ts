import { parseUrl } from '../../common/validation/parse-url.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import type { RegisteredClient } from './app-directory.js';
import { withParameters } from '../app/redirect-uri.rules.js';

/** An address of an app for a browser, and whether it begins a sign-in. */
export interface AppLink {
  readonly href: string;
  readonly beginsSignIn: boolean;
}

/**
 * Address at which a browser opens the app: the page for third-party initiated login (OpenID Connect Core section 4),
 * with `iss` and `login_hint`; otherwise `/` at the origin of the first web redirect URI. Null for an app without
 * either, such as one on a device, and for a self-registered client, which could name any address.
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
