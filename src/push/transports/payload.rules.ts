import type { Message } from 'firebase-admin/messaging';
import type { OutgoingPush } from './push-transport.js';

/** RFC 8291 with records of 4096 bytes: less 86 of header, 16 of tag and the delimiter. */
const WEB_PUSH_BYTES = 3_993;
/** FCM and APNs refuse more than 4096 bytes, which include the names of fields. */
const FCM_BYTES = 3_900;
const ELLIPSIS = '…';

/**
 * The content of `event.data.json()` in a service worker. `notification_id` is the same at every attempt, so that a
 * repetition can be recognized.
 */
export function webPushPayload(push: OutgoingPush): string {
  const write = (body: string): string =>
    JSON.stringify({ notification_id: push.notificationId, title: push.title, body, data: push.data ?? {} });
  return write(fitBody(push.body, WEB_PUSH_BYTES - Buffer.byteLength(write(''))));
}

/** FCM HTTP v1: a notification that the system shows, with data for the app, whose values must be strings. */
export function fcmMessage(push: OutgoingPush, token: string, now: Date): Message {
  const { notificationId, title, ttlSeconds } = push;
  const data = { ...stringsOf(push.data ?? {}), notification_id: notificationId };
  const body = fitBody(push.body, FCM_BYTES - Buffer.byteLength(JSON.stringify({ title, data })));
  return {
    token,
    notification: { title, body },
    data,
    android: { ttl: ttlSeconds * 1_000, priority: 'high' },
    // 0: now or never. Otherwise, the time when it expires.
    apns: {
      headers: { 'apns-expiration': ttlSeconds === 0 ? '0' : String(Math.floor(now.getTime() / 1_000) + ttlSeconds) },
    },
    webpush: { headers: { TTL: String(ttlSeconds) } },
  };
}

/**
 * Providers accept 4096 bytes in total, and a body alone may be longer, so it is shortened. The notification
 * itself keeps the whole text.
 * @param bytes room as JSON
 */
export function fitBody(body: string, bytes: number): string {
  if (jsonBytes(body) <= bytes) return body;
  const characters = [...body];
  let [fits, tooLong] = [0, characters.length];
  while (fits + 1 < tooLong) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(characters.slice(0, middle).join('') + ELLIPSIS) <= bytes) fits = middle;
    else tooLong = middle;
  }
  return characters.slice(0, fits).join('') + ELLIPSIS;
}

/** Strings are unchanged, anything else becomes JSON. */
function stringsOf(data: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Without the quotes around it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
