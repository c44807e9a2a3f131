import { describe, expect, it } from '@jest/globals';
import { type DeliveryTime, judgeAnswer, preflight, statusOf } from '../../../../src/push/deliveries/delivery.rules.js';
import fc from '../../../support/fast-check.js';

const TIME: DeliveryTime = { attempt: 1, ttl: 3_600, secondsLeft: 3_600 };
const THEIRS = { isAdmitted: true, hasDevice: true, isTheirDevice: true, isPutAside: false };
const answered = (status: number, retryAfter: number | null = null) =>
  ({ kind: 'refused', status, retryAfter }) as const;

describe('preflight', () => {
  it('allows an attempt for an admitted user on their own device in time', () => {
    expect(preflight(THEIRS, TIME, null)).toBeNull();
  });

  it.each([
    ['a user who is not admitted', { isAdmitted: false }, 'user_not_enrolled'],
    ['a device that belongs to another user', { isTheirDevice: false }, 'user_not_enrolled'],
    ['a device that has gone', { hasDevice: false, isTheirDevice: false }, 'unregistered'],
  ])('ends the delivery for %s', (_, change, error) => {
    expect(preflight({ ...THEIRS, ...change }, TIME, null)).toEqual({ end: 'failed', error });
  });

  it('ends an expired delivery with the reason of its last attempt', () => {
    const late = { attempt: 7, ttl: 60, secondsLeft: -0.1 };
    expect(preflight(THEIRS, late, 'unavailable')).toEqual({ end: 'expired', error: 'unavailable' });
  });

  it('fails for a device that is put aside, where a notification is sent now or never', () => {
    const verdict = { end: 'failed', error: 'unavailable' };
    expect(preflight({ ...THEIRS, isPutAside: true }, { attempt: 1, ttl: 0, secondsLeft: 0 }, null)).toEqual(verdict);
  });

  it('allows one attempt with ttl 0 within a minute', () => {
    expect(preflight(THEIRS, { attempt: 1, ttl: 0, secondsLeft: -3 }, null)).toBeNull();
    expect(preflight(THEIRS, { attempt: 1, ttl: 0, secondsLeft: -61 }, null)).toMatchObject({ end: 'expired' });
    expect(preflight(THEIRS, { attempt: 2, ttl: 0, secondsLeft: -3 }, null)).toMatchObject({ end: 'expired' });
  });
});

describe('judgeAnswer', () => {
  it.each([
    [{ kind: 'unanswered', error: 'timeout' }, true],
    [{ kind: 'unanswered', error: 'connection_failed' }, true],
    [{ kind: 'refused', status: 503, retryAfter: null }, true],
    [{ kind: 'refused', status: 408, retryAfter: null }, true],
    [{ kind: 'refused', status: 429, retryAfter: null }, false],
    [{ kind: 'refused', status: 400, retryAfter: null }, false],
  ] as const)('of %j names the server that a browser has named: %s', (answer, isSilent) => {
    for (const ttl of [0, 1, 3_600]) {
      const verdict = judgeAnswer({ ...answer, host: 'push.example' }, { ...TIME, ttl, secondsLeft: ttl }, 0);
      expect('silentHost' in verdict ? verdict.silentHost : undefined).toBe(isSilent ? 'push.example' : undefined);
      expect(judgeAnswer(answer, TIME, 0)).not.toHaveProperty('silentHost', expect.anything());
    }
  });

  it('reports delivered if the provider accepted the message', () => {
    expect(judgeAnswer({ kind: 'taken' }, TIME, 0)).toEqual({ end: 'delivered' });
  });

  it('removes the device if its token is no longer valid', () => {
    expect(judgeAnswer({ kind: 'gone' }, TIME, 0)).toEqual({
      end: 'failed',
      error: 'unregistered',
      forgetDevice: true,
    });
  });

  it.each([
    [400, 'rejected'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'rejected'],
    [413, 'too_large'],
    [302, 'rejected'],
  ])('does not retry after %d', (status, error) => {
    expect(judgeAnswer(answered(status, 5), TIME, 0)).toEqual({ end: 'failed', error });
  });

  it.each([
    [429, 'rate_limited'],
    [408, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('retries after %d', (status, error) => {
    expect(judgeAnswer(answered(status), TIME, 0)).toEqual({ retryInSeconds: 2.5, error });
  });

  it.each(['timeout', 'connection_failed'] as const)('retries after %s', (error) => {
    expect(judgeAnswer({ kind: 'unanswered', error }, TIME, 0)).toEqual({ retryInSeconds: 2.5, error });
  });

  it('ends without a configured provider', () => {
    expect(judgeAnswer({ kind: 'not_sent', error: 'not_configured' }, TIME, 0)).toEqual({
      end: 'failed',
      error: 'not_configured',
    });
  });

  it('respects the provider’s Retry-After within the ttl', () => {
    expect(judgeAnswer(answered(429, 1_800), TIME, 0)).toEqual({ retryInSeconds: 1_800, error: 'rate_limited' });
    expect(judgeAnswer(answered(503, 3_601), TIME, 0)).toEqual({ end: 'expired', error: 'unavailable' });
  });

  it('waits longer after each attempt', () => {
    const pause = (attempt: number) => judgeAnswer(answered(500), { ...TIME, attempt, ttl: 1e9, secondsLeft: 1e9 }, 0);
    expect([1, 2, 3, 20].map(pause)).toEqual(
      [2.5, 5, 10, 1_800].map((retryInSeconds) => ({ retryInSeconds, error: 'unavailable' })),
    );
  });

  it('never schedules an attempt after the ttl, and no second attempt with ttl 0', () => {
    const status = fc.constantFrom(408, 429, 500, 502, 503, 504);
    const retryAfter = fc.option(fc.nat(10_000_000));
    fc.assert(
      fc.property(
        status,
        retryAfter,
        fc.nat(2_419_200),
        fc.integer({ min: 1, max: 50 }),
        (code, asked, ttl, attempt) => {
          const verdict = judgeAnswer(answered(code, asked), { attempt, ttl, secondsLeft: ttl }, 0.5);
          if ('end' in verdict) return ttl === 0 ? verdict.end === 'failed' : verdict.end === 'expired';
          return ttl > 0 && verdict.retryInSeconds < ttl && verdict.retryInSeconds >= (asked ?? 0);
        },
      ),
    );
  });
});

describe('statusOf', () => {
  it.each([
    [{ delivered: 3 }, 'sent'],
    [{ delivered: 1, failed: 2 }, 'partial'],
    [{ delivered: 1, expired: 2 }, 'partial'],
    [{ failed: 1, expired: 2 }, 'failed'],
    [{ expired: 3 }, 'expired'],
    [{ delivered: 2 }, null],
    [{}, null],
  ])('of %j among three devices is %s', (count, status) => {
    expect(statusOf({ devices: 3, delivered: 0, failed: 0, expired: 0, ...count })).toBe(status);
  });
});
