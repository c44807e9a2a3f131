import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../comparison.js';
import { report } from '../contender.js';
import { memoryOf } from '../load/cpu.mjs';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, clientCredentials, everywhere, get, logins, peer as theirs, refreshChains } from '../streams.js';

/** Proportional set size of the whole process tree in the middle of a mixed load. PostgreSQL and Redis are not counted. */
export async function memory(stage: Stage, { rounds, seconds }: Options): Promise<Section> {
  const app = await stage.world.app(await stage.world.tenant());
  const third = Math.floor(CONNECTIONS / 3);
  const streams = [
    ...everywhere(clientCredentials([app]), third),
    ...(await refreshChains(stage, app, third)),
    ...(await logins(stage, app, third)),
    get('/.well-known/jwks.json', '"keys"'),
  ];
  const peer = await stage.peer('memory', CONNECTIONS);
  const sizes = { broker: [] as number[], peer: [] as number[] };
  let wrong = 0;
  const sample = async (port: number, pid: number, load: typeof streams, into: number[]) => {
    const running = stage.generator.run({ port, streams: load, warmUp: 1, seconds, processes: {} });
    await sleep(seconds * 1000);
    into.push(memoryOf([pid]));
    const result = await running;
    report('memory', result);
    wrong += result.wrong;
    return load.map((stream, index) => (stream.chain ? { ...stream, chained: result.chained[index] } : stream));
  };
  let ours = streams;
  for (let round = 0; round < rounds; round++) {
    await sample(peer.port, peer.pid, everywhere(theirs.clientCredentials()), sizes.peer);
    ours = await sample(stage.port, stage.service.pid!, ours, sizes.broker);
  }
  const size = median(sizes.broker);
  return {
    title: `memory under load: broker ${size.toFixed(0)} MB, oidc-provider ${median(sizes.peer).toFixed(0)} MB, ${wrong} wrong answers`,
    results: [],
    goals: [{ what: 'MB, all processes of the service', value: size, floor: 180, headline: 180, kind: 'most' }],
  };
}
