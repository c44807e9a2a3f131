import { describe, expect, it } from '@jest/globals';
import {
  errorOf,
  judgeOutcome,
  MAX_TRIES,
  type WebhookOutcome,
} from '../../../../../src/push/webhooks/messages/webhook-retry.rules.js';

const FAILED: WebhookOutcome = { status: 500, error: 'unexpected_status', retryAfter: null };
const [MINUTE, HOUR] = [60, 3_600];
const SCHEDULE = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

// security 99
describe('Webhook answer', () => {
  it.each([200, 201, 202, 204, 299])('%i counts as received', (status) => {
    expect(judgeOutcome({ error: errorOf(status), retryAfter: null }, 1, 0)).toBe('delivered');
  });

  it.each([
    [301, 'redirect'],
    [302, 'redirect'],
    [304, 'redirect'],
    [308, 'redirect'],
    [400, 'unexpected_status'],
    [401, 'unexpected_status'],
    [404, 'unexpected_status'],
    [429, 'unexpected_status'],
    [500, 'unexpected_status'],
    [503, 'unexpected_status'],
  ])('%i is a %s and is retried', (status, word) => {
    expect(errorOf(status)).toBe(word);
    expect(judgeOutcome({ error: errorOf(status), retryAfter: null }, 1, 0)).toEqual({ retryInSeconds: 5 });
  });

  it('410 ends all attempts', () => {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++)
      expect(judgeOutcome({ error: errorOf(410), retryAfter: 60 }, attempt, 0)).toBe('gone');
  });

  it('that fails is retried on the schedule of Standard Webhooks, up to its end', () => {
    const pauses = SCHEDULE.map((_, index) => judgeOutcome(FAILED, index + 1, 0));
    expect(pauses).toEqual(SCHEDULE.map((retryInSeconds) => ({ retryInSeconds })));
    expect(judgeOutcome(FAILED, SCHEDULE.length + 1, 0)).toBe('failed');
    expect(MAX_TRIES).toBe(SCHEDULE.length + 1);
  });

  it('that fails is retried after a randomised pause, never before its time', () => {
    for (const [index, pause] of SCHEDULE.entries())
      for (const chance of [0, 0.25, 0.999]) {
        const { retryInSeconds } = judgeOutcome(FAILED, index + 1, chance) as { retryInSeconds: number };
        expect(retryInSeconds).toBeCloseTo(pause * (1 + 0.2 * chance), 6);
      }
  });

  it('with Retry-After is retried after that time, at most a day, and never before the schedule', () => {
    const asked = (retryAfter: number, attempt = 1) => judgeOutcome({ ...FAILED, retryAfter }, attempt, 0);
    expect(asked(120)).toEqual({ retryInSeconds: 120 });
    expect(asked(0)).toEqual({ retryInSeconds: 5 });
    expect(asked(60, 4)).toEqual({ retryInSeconds: 2 * HOUR });
    expect(asked(999_999_999)).toEqual({ retryInSeconds: 24 * HOUR });
    expect(asked(60, 10)).toBe('failed');
  });
});
