import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 5;
/** Slow is not wrong, only stuck is: what a quiet machine does in a moment takes long where others have the processors. */
const PATIENCE_MS = 60_000;

/**
 * Asks until the answer is neither null, undefined nor false, and returns it. The first pauses are shorter than `every`.
 * @param within milliseconds; then it throws what was waited for, with the probe's last error as its cause
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T> | T,
  { within = PATIENCE_MS, every = 50 }: { within?: number; every?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  let cause: unknown;
  const end = performance.now() + within;
  let pause = Math.min(FIRST_PAUSE_MS, every);
  do {
    try {
      const answer = await probe();
      if (answer !== null && answer !== undefined && answer !== false) {
        return answer as NonNullable<Exclude<T, false>>;
      }
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(pause);
    pause = Math.min(pause * 2, every);
  } while (performance.now() < end);
  throw new Error(`Waited ${within} ms in vain: ${what}`, { cause });
}
