import { createHash } from 'node:crypto';
import { clientNetwork } from '../../../rate-limits/client-address.js';
import { describeUserAgent, UNKNOWN_BROWSER } from './user-agent.rules.js';

/** Whether the user signs in on a hosted page, which keeps cookies, or through an app, which may keep none. */
export type SignInOrigin = { readonly by: 'page' } | ApiOrigin;

export interface ApiOrigin {
  readonly by: 'api';
  readonly deviceId: string | null;
}

/**
 * The credential was given to an app, which signs the user in at itself only. Its server becomes no known browser: a
 * sign-in from there to the whole account is still new.
 */
export interface AppOrigin {
  readonly by: 'app';
  readonly appId: string;
  readonly deviceId: string | null;
}

/** `sessionToken`: of the session that begins on the page. */
export type BrowserOrigin = { readonly by: 'page'; readonly sessionToken: string } | ApiOrigin | AppOrigin;

/** The origin of a request, only as precise as a user needs to recognize it. */
export interface DeviceLocation {
  /** Browser and system in words; if both are unknown, the first product in the `User-Agent`. */
  readonly userAgent: string;
  /** IPv4 /24 or IPv6 /48. */
  readonly network: string;
}

const PRODUCT_LENGTH = 40;

export function deviceLocationOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): DeviceLocation {
  const described = describeUserAgent(userAgent);
  const product = /^[\w.-]+/.exec(userAgent ?? '')?.[0].slice(0, PRODUCT_LENGTH);
  return {
    userAgent: described === UNKNOWN_BROWSER && product ? product : described,
    network: clientNetwork(ip),
  };
}

/** The mark of an app without cookies: of its device's id, or of its network and program if it sends none. */
export function markWithoutCookie(origin: ApiOrigin | AppOrigin, { userAgent, network }: DeviceLocation): Buffer {
  const device = origin.deviceId === null ? ['place', network, userAgent] : ['device', origin.deviceId];
  const known = origin.by === 'app' ? ['app', origin.appId, ...device] : device;
  return createHash('sha256').update(JSON.stringify(known), 'utf8').digest();
}

/**
 * The value of the cookie that a browser without one gets at its first sign-in. It is derived from the browser's
 * secret, so that two tabs that sign in at once count as one browser, or from the token of the new session if there is
 * no secret. The code that opens the session and the code that sends the response so use the same value. The secret
 * cannot be derived from it.
 */
export function cookieValueFor(secret: string): string {
  return createHash('sha256').update(`known browser ${secret}`, 'utf8').digest('base64url');
}
