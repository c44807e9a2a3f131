import type { LoadResult, Stream } from './load/generator.js';
import type { Stage } from './stage.js';

/** What one contender did in one round. */
export interface Measure {
  /** Right answers per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU milliseconds per answer, by account: the server's whole process tree, PostgreSQL, Redis. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly wrong: number;
}

/** One of those who are compared: the service, a peer, or what the machine allows. */
export interface Contender {
  readonly name: string;
  run(seconds: number): Promise<Measure>;
}

interface LimitResult {
  readonly count: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: number;
}

/** A script that does nothing but the one thing that cannot be done without. */
export function limit(stage: Stage, name: string, script: string, ...args: readonly string[]): Contender {
  return {
    name,
    run: async (seconds) => {
      const { told } = await stage.processes.tell<LimitResult>(
        script,
        [String(seconds), ...args],
        undefined,
        seconds * 1_000,
      );
      const { count, p50, p99, cpuMs } = told;
      return { rate: count / told.seconds, p50, p99, cpu: { limit: cpuMs / count }, wrong: 0 };
    },
  };
}

/** A server under load. Refresh chains go on where the round before has left them. */
export function server(
  stage: Stage,
  name: string,
  port: number,
  accounts: Readonly<Record<string, readonly number[]>>,
  streams: readonly Stream[],
): Contender {
  let current = streams;
  return {
    name,
    run: async (seconds) => {
      const result = await stage.generator.run({ port, streams: current, warmUp: 1, seconds, processes: accounts });
      current = current.map((stream, index) => (stream.chain ? { ...stream, chained: result.chained[index] } : stream));
      report(name, result);
      const [times] = Object.values(result.labels);
      return { ...ratesOf(result, times!.count), p50: times!.p50, p99: times!.p99, wrong: result.wrong };
    },
  };
}

function ratesOf({ seconds, cpuMs }: LoadResult, count: number): Pick<Measure, 'rate' | 'cpu'> {
  const cpu = Object.fromEntries(Object.entries(cpuMs).map(([account, ms]) => [account, ms / count]));
  return { rate: count / seconds, cpu };
}

/** Wrong answers are shown at once: a number alone would not tell what to mend. */
export function report(name: string, { wrong, examples }: LoadResult): void {
  if (wrong > 0) console.log(`  ${name}: ${wrong} wrong answers, e.g. ${examples.join(' | ')}`);
}
