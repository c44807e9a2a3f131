import { describe, expect, it } from '@jest/globals';
import { fcmMessage, fitBody, webPushPayload } from '../../../../src/push/transports/payload.rules.js';
import fc from '../../../support/fast-check.js';

const PUSH = { notificationId: 'n-1', title: 'Hello', body: 'World', data: null, ttlSeconds: 60 };
const NOW = new Date('2026-01-01T00:00:00Z');

describe('webPushPayload', () => {
  it('is JSON with the notification’s id', () => {
    expect(JSON.parse(webPushPayload({ ...PUSH, data: { order: 7 } }))).toEqual({
      notification_id: 'n-1',
      title: 'Hello',
      body: 'World',
      data: { order: 7 },
    });
  });

  it('fits into a record of 4096 bytes for any long body', () => {
    const body = fc.string({ unit: 'binary', minLength: 1_000, maxLength: 4_096 });
    fc.assert(
      fc.property(body, (text) => Buffer.byteLength(webPushPayload({ ...PUSH, body: text })) <= 3_993),
      { numRuns: 30 },
    );
  });
});

describe('fcmMessage', () => {
  it('contains every data value as text, and the id', () => {
    const data = { text: 'as it is', number: 1, yes: true, none: null, deep: { a: [1] } };
    expect(fcmMessage({ ...PUSH, data }, 't', NOW)).toMatchObject({
      token: 't',
      notification: { title: 'Hello', body: 'World' },
      data: { text: 'as it is', number: '1', yes: 'true', none: 'null', deep: '{"a":[1]}', notification_id: 'n-1' },
    });
  });

  it('does not let data override the notification’s id', () => {
    const message = fcmMessage({ ...PUSH, data: { notification_id: 'n-2' } }, 't', NOW);
    expect(message.data).toEqual({ notification_id: 'n-1' });
  });

  it('sets the lifetime in the way of each platform', () => {
    expect(fcmMessage(PUSH, 't', NOW)).toMatchObject({
      android: { ttl: 60_000 },
      apns: { headers: { 'apns-expiration': String(NOW.getTime() / 1_000 + 60) } },
      webpush: { headers: { TTL: '60' } },
    });
    expect(fcmMessage({ ...PUSH, ttlSeconds: 0 }, 't', NOW)).toMatchObject({
      android: { ttl: 0 },
      apns: { headers: { 'apns-expiration': '0' } },
      webpush: { headers: { TTL: '0' } },
    });
  });
});

describe('fitBody', () => {
  it('keeps a text that fits', () => {
    expect(fitBody('World', 5)).toBe('World');
  });

  it('shortens a longer text and marks it', () => {
    expect(fitBody('Hello World', 8)).toBe('Hello…');
  });

  it('cuts no character in two, and uses the space', () => {
    const text = fc.string({ unit: 'binary', minLength: 20, maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 200 }), (body, bytes) => {
        const short = fitBody(body, bytes);
        const size = Buffer.byteLength(JSON.stringify(short)) - 2;
        if (short === body) return size <= bytes;
        return size <= bytes && size > bytes - 10 && [...body].join('').startsWith(short.slice(0, -1));
      }),
    );
  });
});
