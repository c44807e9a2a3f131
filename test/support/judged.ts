import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

interface Status {
  readonly status: number;
  readonly headers: Headers;
}

const TIMES = 5;

/**
 * 503 with Retry-After. On a busy machine any request may get it: after 2 s without a connection of the pool, 2 s behind a
 * lock, or where its password hash would wait for more than 5 s. Its transaction was rolled back, so it has no effect.
 */
function wasSentAway({ status, headers }: Status): boolean {
  return status === 503 && headers.has('retry-after');
}

/**
 * The answers of many requests at once without those that were sent away. What the others got stays exact, and so does
 * what the database says.
 * @param atMost so many may be sent away; half of them by default, so that a service that is always busy fails
 */
export function judged<T extends Status>(answers: readonly T[], atMost = Math.floor(answers.length / 2)): T[] {
  const rest = answers.filter((answer) => !wasSentAway(answer));
  expect(answers.length - rest.length).toBeLessThanOrEqual(atMost);
  return rest;
}

/** Of requests at once exactly one succeeds, and each of the others is refused or sent away. @returns the one */
export function expectOne<T extends Status>(
  answers: readonly T[],
  { won, refused, atMost }: { won: number; refused: number; atMost?: number },
): T {
  const rest = judged(answers, atMost);
  const statuses = rest.map(({ status }) => status).sort();
  expect(statuses).toEqual([won, ...Array<number>(rest.length - 1).fill(refused)].sort());
  return rest.find(({ status }) => status === won)!;
}

/** The answer to a request of which the test needs the effect: one that was sent away comes again, as a client does. */
export async function comeAgain<T extends Status>(request: () => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    const answer = await request();
    if (!wasSentAway(answer) || time === TIMES) return answer;
    await sleep(100);
  }
}
