// npm run bench:versions -- <folder> [operation …] [--rounds=9] [--seconds=2]; see README.md
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
  // Two further processes: what the set-up asks of the first one would count against this version.
  const start = async (label: string, root: string) => {
    const port = await freePort();
    const environment = { ...stage.environment, PORT: String(port) };
    const log = join(stage.folder, `${label}.log`);
    const child = stage.processes.start(process.execPath, [join(root, 'dist/main.js')], environment, log);
    await untilAnswered(`http://127.0.0.1:${port}/health/ready`, child);
    return { label, port, child };
  };
  const versions = [await start('other', folder), await start('this', '.')];
  console.log('| operation | CPU ms each: other, this | ratio | per second: other, this | ratio | wrong |');
  console.log('|---|---|---:|---|---:|---:|');
  for (const name of named.length > 0 ? named : Object.keys(OPERATIONS)) {
    const make = OPERATIONS[name]!;
    const contenders = [];
    for (const { label, port, child } of versions)
      contenders.push(server(stage, label, port, { service: [child.pid!] }, await make(stage)));
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
