// npm run bench:versions -- <folder> [operation …] [--rounds=9] [--seconds=2]; see README.md
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.js';
import { compare, type Result } from './comparison.js';
import { server } from './contender.js';
import { untilAnswered } from './processes.js';
import type { Stream } from './load/generator.js';
import { Stage } from './stage.js';
import { CONNECTIONS, clientCredentials, everywhere, get, refreshChains, verify, verifyBodies } from './streams.js';

const KNOWN_TOKENS = 100;

const args = process.argv.slice(2);
const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const [folder, ...named] = args.filter((arg) => !arg.startsWith('--'));
const rounds = Number(option('rounds') ?? 9);
const seconds = Number(option('seconds') ?? 2);
if (!folder || !(rounds >= 1) || !(seconds >= 1)) {
  console.error(
    'Usage: npm run bench:versions -- <folder of another built checkout> [operation …] [--rounds=9] [--seconds=2]',
  );
  process.exit(2);
}

/** Each makes streams of its own for each version: chains of refresh tokens cannot be shared. */
const OPERATIONS: Readonly<Record<string, (stage: Stage) => Promise<Stream[]>>> = {
  documents: () => Promise.resolve(everywhere(get('/.well-known/jwks.json', '"keys"'))),
  verify: async (stage) => everywhere(verify(await verifyBodies(stage, await newApp(stage), KNOWN_TOKENS))),
  'client-credentials': async (stage) => everywhere(clientCredentials([await newApp(stage)])),
  refresh: async (stage) => refreshChains(stage, await newApp(stage), CONNECTIONS),
};

async function newApp({ world }: Stage) {
  return world.app(await world.tenant());
}

const stage = await Stage.open();
try {
  const port = await freePort();
  const { processes, environment, folder: logs } = stage;
  const other = processes.start(
    process.execPath,
    [join(folder, 'dist/main.js')],
    { ...environment, PORT: String(port) },
    join(logs, 'other.log'),
  );
  await untilAnswered(`http://127.0.0.1:${port}/health/ready`, other);
  console.log('| operation | CPU ms each: other, this | ratio | per second: other, this | ratio | wrong |');
  console.log('|---|---|---:|---|---:|---:|');
  for (const name of named.length > 0 ? named : Object.keys(OPERATIONS)) {
    const make = OPERATIONS[name]!;
    const version = async (label: string, at: number, child: ChildProcess) =>
      server(stage, label, at, { service: [child.pid!] }, await make(stage));
    const contenders = [await version('other', port, other), await version('this', stage.port, stage.service)];
    const [before, after] = await compare(contenders, rounds, seconds);
    console.log(row(name, before!, after!));
  }
} finally {
  await stage.close();
}
process.exit(0);

function row(name: string, before: Result, after: Result): string {
  const cpu = [before, after].map((result) => result.cpu['service']!);
  return [
    '',
    name,
    cpu.map((ms) => ms.toFixed(3)).join(', '),
    (cpu[1]! / cpu[0]!).toFixed(3),
    [before, after].map(({ rate }) => Math.round(rate)).join(', '),
    (after.rate / before.rate).toFixed(3),
    before.wrong + after.wrong,
    '',
  ]
    .join(' | ')
    .trim();
}
