import { availableParallelism } from 'node:os';

/** What libuv takes by itself. */
const MOST_THREADS = 4;
/** Slow look-ups of names may take half of the threads, so that one is left for signatures. */
const FEWEST_THREADS = 2;

/**
 * Signatures are made on the threads of libuv. With more threads than cores, some of them sleep, and each signature wakes one
 * up and interrupts the one that runs: 8 % of the CPU of a token on two cores (docs/decisions/0011). Has an effect only
 * before the pool is first used, which Node 20 does before our first line.
 */
export function limitThreadPool(environment: NodeJS.ProcessEnv): void {
  const threads = Math.min(MOST_THREADS, Math.max(FEWEST_THREADS, availableParallelism()));
  environment['UV_THREADPOOL_SIZE'] ??= String(threads);
}
