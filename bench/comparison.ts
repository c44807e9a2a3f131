import type { Contender, Measure } from './contender.js';

export interface Result extends Measure {
  readonly name: string;
}

/** All peers in turn, round after round, so that a slow minute of the machine affects all alike; the median of each. */
export async function compare(contenders: readonly Contender[], rounds: number, seconds: number): Promise<Result[]> {
  const measures = new Map<string, Measure[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of contenders) measures.get(name)!.push(await run(seconds));
  }
  return [...measures].map(([name, taken]) => ({ name, ...medianOf(taken) }));
}

function medianOf(taken: readonly Measure[]): Measure {
  const of = (value: (measure: Measure) => number) => median(taken.map(value));
  const accounts = Object.keys(taken[0]!.cpu);
  return {
    rate: of((each) => each.rate),
    p50: of((each) => each.p50),
    p99: of((each) => each.p99),
    cpu: Object.fromEntries(accounts.map((account) => [account, of((each) => each.cpu[account]!)])),
    wrong: taken.reduce((sum, each) => sum + each.wrong, 0),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
