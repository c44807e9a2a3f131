import { createHash } from 'node:crypto';
import { clientNetwork } from '../../../rate-limits/client-address.js';
import { describeUserAgent, UNKNOWN_BROWSER } from './user-agent.rules.js';

/** How a user signs in: on our pages, which keep cookies, or through an app, which may keep none. */
export type SignInOrigin = { readonly by: 'page' } | { readonly by: 'api'; readonly deviceId: string | null };

/** Where a request comes from, only as precise as a user needs to recognise it. */
export interface Place {
  /** Browser and system in words; else the first product that the program names. */
  readonly userAgent: string;
  /** IPv4 /24 or IPv6 /48. */
  readonly network: string;
}

const PRODUCT_LENGTH = 40;

export function placeOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): Place {
  const described = describeUserAgent(userAgent);
  const product = /^[\w.-]+/.exec(userAgent ?? '')?.[0].slice(0, PRODUCT_LENGTH);
  return {
    userAgent: described === UNKNOWN_BROWSER && product ? product : described,
    network: clientNetwork(ip),
  };
}

/** What an app without cookies is known by: the id of its device, else network and program. */
export function markWithoutCookie(deviceId: string | null, { userAgent, network }: Place): Buffer {
  const known = deviceId === null ? ['place', network, userAgent] : ['device', deviceId];
  return createHash('sha256').update(JSON.stringify(known), 'utf8').digest();
}

/**
 * The value of the cookie that a browser without one gets at its first sign-in. Made from a secret of the browser, so
 * that two tabs that sign in at once are one browser; else from the new session's token. The one that opens the session and the one that
 * answers agree on it, and the secret cannot be had from it.
 */
export function cookieValueFor(secret: string): string {
  return createHash('sha256').update(`known browser ${secret}`, 'utf8').digest('base64url');
}
