import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.js';
import { median, type Result } from '../comparison.js';
import { untilAnswered } from '../processes.js';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { within } from '../within.js';

/** Nothing here takes so long; what does has failed. */
const LATEST_MS = 60_000;

/** From the call of node to the first answer of a document that needs the keys. */
export async function start(stage: Stage, { rounds }: Options): Promise<Section> {
  const contenders: Record<string, () => Promise<number>> = {
    'node, an empty program': () => bareNode(stage),
    'oidc-provider, memory': () => provider(stage),
    'identity broker, running database': () => broker(stage),
    'identity broker, embedded, second start': () => embedded(stage),
  };
  await embedded(stage); // The first start makes the database.
  const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) times.get(name)!.push(await run());
  }
  const results = [...times].map(([name, taken]): Result => ({
    name,
    rate: Number.NaN,
    p50: median(taken),
    p99: Math.max(...taken),
    cpu: {},
    wrong: 0,
  }));
  return {
    title: 'start to first answer (p99 column: the slowest)',
    results,
    goals: [
      { what: 'against a running database, ms', value: results[2]!.p50, floor: 1200, headline: 1200, kind: 'most' },
      { what: 'embedded, ms', value: results[3]!.p50, floor: 1800, headline: 1800, kind: 'most' },
    ],
  };
}

async function bareNode(stage: Stage): Promise<number> {
  const begun = performance.now();
  const child = stage.processes.start(process.execPath, ['-e', '0'], {}, join(stage.folder, 'node.log'));
  await within(LATEST_MS, 'an empty program', once(child, 'exit'));
  return performance.now() - begun;
}

async function provider(stage: Stage): Promise<number> {
  const begun = performance.now();
  const { pid, told } = await stage.processes.tell<{ port: number }>('./peers/oidc-provider.mjs', ['0']);
  try {
    await fetch(`http://127.0.0.1:${told.port}/jwks`, { signal: AbortSignal.timeout(LATEST_MS) });
    return performance.now() - begun;
  } finally {
    process.kill(pid, 'SIGKILL');
  }
}

async function broker(stage: Stage): Promise<number> {
  const port = await freePort();
  const child = stage.startService({ PORT: String(port) });
  return untilStopped(stage, port, child);
}

async function embedded(stage: Stage): Promise<number> {
  const port = await freePort();
  const env = { PATH: stage.environment['PATH']!, PORT: String(port), DATA_DIR: join(stage.folder, 'embedded') };
  const child = stage.processes.start(process.execPath, ['dist/main.js'], env, join(stage.folder, 'embedded.log'));
  return untilStopped(stage, port, child);
}

/** Stopped in any case: the next round would find its data taken. */
async function untilStopped(stage: Stage, port: number, child: ChildProcess): Promise<number> {
  try {
    return await untilAnswered(`http://127.0.0.1:${port}/.well-known/jwks.json`, child);
  } finally {
    await stage.processes.stop(child);
  }
}
