import { expect } from '@jest/globals';

/** Beyond the rounds that are wanted. */
const MORE = 3;

/**
 * What `count` rounds returned in which Redis counted every hit. A hit that Redis has not answered within 500 ms is counted in
 * the memory of its process, and two processes then let more through, as they say in a metric. Such a round is replaced by
 * another one, so a service that often counts in memory fails.
 * @param fallbacks the metric, of all processes
 */
export async function roundsInRedis<T>(
  count: number,
  fallbacks: () => Promise<number>,
  work: (round: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; results.length < count && round < count + MORE; round++) {
    const before = await fallbacks();
    const result = await work(round);
    if ((await fallbacks()) === before) results.push(result);
  }
  expect(results).toHaveLength(count);
  return results;
}

/** The metric of processes, each asked by its address. */
export async function fallbacksOf(addresses: readonly string[]): Promise<number> {
  let sum = 0;
  for (const address of addresses) {
    const text = await (await fetch(`${address}/metrics`)).text();
    sum += Number(/^identity_rate_limit_fallbacks_total (\d+)$/m.exec(text)![1]);
  }
  return sum;
}
