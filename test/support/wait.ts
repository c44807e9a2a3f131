import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is neither null, undefined nor false, and returns it.
 * @param within milliseconds; then it throws what was waited for, with the probe's last error as its cause
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T> | T,
  { within = 15_000, every = 50 }: { within?: number; every?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  let cause: unknown;
  const end = performance.now() + within;
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
    await sleep(every);
  } while (performance.now() < end);
  throw new Error(`Waited ${within} ms in vain: ${what}`, { cause });
}
