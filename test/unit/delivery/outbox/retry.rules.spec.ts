import { describe, expect, it } from '@jest/globals';
import { PermanentFailure } from '../../../../src/delivery/outbox/permanent-failure.js';
import { RetryLater } from '../../../../src/delivery/outbox/retry-later.js';
import { failureReason } from '../../../../src/delivery/engine/failure-reason.js';
import { backoffSeconds, judgeFailure } from '../../../../src/delivery/outbox/retry.rules.js';
import fc from '../../../support/fast-check.js';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoffSeconds', () => {
  it('doubles from five seconds up to an hour', () => {
    const latest = (attempt: number) => Math.round(backoffSeconds(attempt, 0.999999));
    expect([1, 2, 3, 4, 10, 11, 12, 40].map(latest)).toEqual([5, 10, 20, 40, 2_560, 3_600, 3_600, 3_600]);
  });

  it('randomises the second half of each pause', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), chance, (attempt, luck) => {
        const pause = backoffSeconds(attempt, luck);
        const longest = Math.min(5 * 2 ** (attempt - 1), 3_600);
        return pause >= longest / 2 && pause <= longest;
      }),
    );
  });

  it('gives jobs that failed together different times', () => {
    expect(backoffSeconds(5, 0.1)).not.toBe(backoffSeconds(5, 0.2));
  });
});

describe('judgeFailure', () => {
  const second = { attempts: 2, maxAttempts: 4 };

  it('retries after an ordinary failure', () => {
    expect(judgeFailure(new Error('down'), second, 0)).toEqual({ retryInSeconds: 5 });
  });

  it('gives up at the last attempt for every error', () => {
    const last = { attempts: 4, maxAttempts: 4 };
    expect(judgeFailure(new Error('down'), last, 0)).toBe('dead');
    expect(judgeFailure(new RetryLater(5), last, 0)).toBe('dead');
  });

  it('gives up at once if a retry cannot help', () => {
    expect(judgeFailure(new PermanentFailure('no such mailbox'), { attempts: 1, maxAttempts: 9 }, 0)).toBe('dead');
  });

  it('respects a requested time within limits', () => {
    const asked = (seconds: number) => judgeFailure(new RetryLater(seconds), second, 0.5);
    expect(asked(7)).toEqual({ retryInSeconds: 7 });
    expect(asked(-3)).toEqual({ retryInSeconds: 0 });
    expect(asked(1e9)).toEqual({ retryInSeconds: 7 * 86_400 });
    expect(asked(Number.NaN)).toEqual({ retryInSeconds: backoffSeconds(2, 0.5) });
  });
});

describe('failureReason', () => {
  it('is one line of limited length that PostgreSQL can store', () => {
    expect(failureReason(new Error('a\r\nb\0c'))).toBe('Error: a b c');
    expect(failureReason('plain')).toBe('plain');
    expect(failureReason(new Error('x'.repeat(2_000)))).toHaveLength(500);
  });
});
