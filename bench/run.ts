// npm run bench -- [operation …] [--rounds=3] [--seconds=4] [--profile=<folder>] [--chart=<file>] [--better-auth=<folder>]; see README.md
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { chartOf } from './chart.js';
import { clientCredentials } from './operations/client-credentials.js';
import { documents } from './operations/documents.js';
import { loginFlood } from './operations/login-flood.js';
import { memory } from './operations/memory.js';
import { passwordLogin } from './operations/password-login.js';
import { refresh } from './operations/refresh.js';
import { start } from './operations/start.js';
import { transfer } from './operations/transfer.js';
import { verify } from './operations/verify.js';
import { measureEach } from './measure-each.js';
import type { Options, Section } from './report.js';
import { Stage } from './stage.js';

const OPERATIONS: Readonly<Record<string, (stage: Stage, options: Options) => Promise<Section>>> = {
  'client-credentials': clientCredentials,
  refresh,
  'password-login': passwordLogin,
  'login-flood': loginFlood,
  verify,
  documents,
  start,
  memory,
  transfer,
};

const args = process.argv.slice(2);
const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const named = args.filter((arg) => !arg.startsWith('--'));
const unknown = named.filter((name) => !(name in OPERATIONS));
const options = {
  rounds: Number(option('rounds') ?? 3),
  seconds: Number(option('seconds') ?? 4),
  betterAuth: option('better-auth'),
};
const profile = option('profile');
const chart = option('chart');
if (unknown.length > 0 || !(options.rounds >= 1) || !(options.seconds >= 1)) {
  console.error(
    `Operations: ${Object.keys(OPERATIONS).join(', ')}. Options: --rounds=3 --seconds=4 --profile=<folder> --chart=<file> --better-auth=<folder>`,
  );
  process.exit(2);
}

/** Every wait has its own limit; this one is for those that lack one. */
const LIMIT_MS = (5 * 60 + options.rounds * (60 + 20 * options.seconds)) * 1_000;

const stage = await Stage.open(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stage.close().finally(() => process.exit(130)));
const machine = `${new Date().toISOString().slice(0, 16)}, Node ${process.version}, ${availableParallelism()} cores`;
console.log(machine);
const names = named.length > 0 ? named : Object.keys(OPERATIONS);
const measure = (name: string) => OPERATIONS[name]!(stage, options);
const { sections, failed } = await measureEach(names, measure, LIMIT_MS).finally(() => stage.close());
if (chart) writeFileSync(chart, chartOf(sections, machine));
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
