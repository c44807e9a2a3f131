import { judgeTargetUrl } from '../../outbound/target-url.rules.js';
import type { Platform } from './push-device.entity.js';

/** A browser's push subscription (W3C Push API, `PushSubscription.toJSON()`). */
export interface WebPushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** A parsed push token, or why it is not valid. */
export type ReadPushToken =
  | { readonly kind: 'fcm' }
  | { readonly kind: 'web'; readonly subscription: WebPushSubscription }
  | { readonly fault: string };

/**
 * iOS and Android have an FCM registration token; web has a subscription as JSON text, or an FCM token if the
 * app uses Firebase in the browser.
 * @param allowPrivate ALLOW_PRIVATE_NETWORK_TARGETS
 */
export function readPushToken(platform: Platform, token: string, allowPrivate: boolean): ReadPushToken {
  if (platform !== 'web' || !token.trimStart().startsWith('{')) {
    return /^[\w:.-]+$/.test(token) ? { kind: 'fcm' } : { fault: 'Not a registration token' };
  }
  const subscription = parse(token);
  if (!subscription) return { fault: 'Not a push subscription: endpoint, keys.p256dh and keys.auth' };
  const fault = judgeTargetUrl(subscription.endpoint, allowPrivate);
  return fault ? { fault: `Push subscription: ${fault}` } : { kind: 'web', subscription };
}

/** The canonical text of a subscription, independent of the formatting of its JSON. */
export function identityOf(token: string, read: Exclude<ReadPushToken, { fault: string }>): string {
  return read.kind === 'web' ? read.subscription.endpoint : token;
}

function parse(token: string): WebPushSubscription | null {
  try {
    const { endpoint, keys } = JSON.parse(token) as Partial<WebPushSubscription>;
    if (typeof endpoint !== 'string' || typeof keys !== 'object' || keys === null) return null;
    const [p256dh, auth] = [base64url(keys.p256dh), base64url(keys.auth)];
    // RFC 8291: an uncompressed point of P-256, and 16 bytes.
    if (p256dh?.length !== 65 || p256dh[0] !== 4 || auth?.length !== 16) return null;
    return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  } catch {
    return null;
  }
}

function base64url(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !/^[\w+/=-]{1,200}$/.test(text)) return null;
  return Buffer.from(text, 'base64url');
}
