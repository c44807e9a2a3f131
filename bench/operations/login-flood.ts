import { median, type Result } from '../comparison.js';
import { report } from '../contender.js';
import type { LoadResult, Stream } from '../load/generator.js';
import type { Goal, Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, clientCredentials, get, logins, refreshChains, verify, verifyBodies } from '../streams.js';

/** Each of the other operations comes at a walk, some forty times a second: it is latency that is asked for. */
const PAUSE_MS = 25;
const MAX_MS: Readonly<Record<string, number>> = {
  '/auth/token': 10,
  '/token/refresh': 15,
  '/.well-known/jwks.json': 6,
  '/token/verify': 6,
};

/** As many logins as come through on 32 connections, and how long all other requests wait meanwhile. */
export async function loginFlood(stage: Stage, { rounds, seconds }: Options): Promise<Section> {
  const app = await stage.world.app(await stage.world.tenant());
  const others: Stream[] = [
    clientCredentials([app]),
    ...(await refreshChains(stage, app, 1)),
    get('/.well-known/jwks.json', '"keys"'),
    verify(await verifyBodies(stage, app, 64)),
  ];
  let streams = [...(await logins(stage, app, CONNECTIONS)), ...others.map((each) => ({ ...each, pauseMs: PAUSE_MS }))];
  const taken: LoadResult[] = [];
  for (let round = 0; round < rounds; round++) {
    const job = { port: stage.port, streams, warmUp: 2, seconds: seconds * 2, processes: stage.accounts };
    const result = await stage.generator.run(job);
    report('login flood', result);
    streams = streams.map((stream, index) => (stream.chain ? { ...stream, chained: result.chained[index] } : stream));
    taken.push(result);
  }
  const results = Object.keys(taken[0]!.labels).map((label) => resultOf(label, taken));
  const goals = results
    .filter(({ name }) => name in MAX_MS)
    .map(({ name, p99 }): Goal => ({
      what: `${name}, p99 ms`,
      value: p99,
      floor: MAX_MS[name]!,
      headline: MAX_MS[name]!,
      kind: 'most',
    }));
  return { title: 'during a login flood', results, goals };
}

function resultOf(name: string, taken: readonly LoadResult[]): Result {
  const times = taken.map(({ labels }) => labels[name]!);
  return {
    name,
    rate: median(times.map(({ count }, index) => count / taken[index]!.seconds)),
    p50: median(times.map(({ p50 }) => p50)),
    p99: median(times.map(({ p99 }) => p99)),
    cpu: {},
    wrong: name === '/auth/login' ? taken.reduce((sum, { wrong }) => sum + wrong, 0) : 0,
  };
}
