// Takes each security control out of a copy of the source and demands that the tests named beside it turn red.
//   npm run test:sabotage [-- [--jobs=2] <word> …]   only controls whose list, item or text holds one of the words
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { NOT_BEGUN } from '../test/support/runner/result.js';
import { javascriptOf } from './typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test/sabotage');
const { values: options, positionals: words } = parseArgs({
  options: { jobs: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const jobs = Number(options.jobs);

const controls = [];
for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .sort()) {
  const { default: list } = await import(pathToFileURL(join(folder, name)).href);
  controls.push(...list.map((control) => ({ ...control, list: name })));
}
const chosen = controls.filter(
  (control) =>
    words.length === 0 || words.some((word) => `${control.list} ${control.item} ${control.control}`.includes(word)),
);

/** A copy of the project that a control is taken out of while its tests run. */
class Copy {
  #path = mkdtempSync(join(tmpdir(), 'sabotage-'));
  #servers;

  constructor() {
    process.on('exit', () => rmSync(this.#path, { recursive: true, force: true }));
    for (const name of readdirSync(root)) {
      if ((name.startsWith('.') && name !== '.env.example') || ['node_modules', 'dist', 'coverage'].includes(name))
        continue;
      cpSync(join(root, name), join(this.#path, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#path, 'node_modules'));
  }

  /** Saves the compiler's work. Unit tests alone do without a build. */
  takeBuild(other) {
    if (!existsSync(join(other.#path, 'dist'))) return;
    cpSync(join(other.#path, 'dist'), join(this.#path, 'dist'), { recursive: true, preserveTimestamps: true });
    this.#markBuilt();
  }

  /** PostgreSQL and Redis, once for all of its runs. */
  async start() {
    const { TestServers } = await import(pathToFileURL(join(this.#path, 'test/support/servers/test-servers.js')).href);
    this.#servers = await TestServers.start();
  }

  async stop() {
    await this.#servers?.stop();
  }

  /** Where a control is part of the schema, the servers have to be set up without it. */
  async #environment(files) {
    if (!this.#servers || files.some((file) => file.startsWith('src/database/') || file.startsWith('src/embedded/')))
      return {};
    await this.#servers.renew();
    return { TEST_SERVERS: 'running', ...this.#servers.env };
  }

  /**
   * @param files where a control was taken out
   * @returns whether all of the tests passed, how many failed, and how many were run at all
   */
  async run(tests, workers, files = []) {
    const report = join(this.#path, '.report.json');
    rmSync(report, { force: true });
    const options = [`--maxWorkers=${workers}`, '--json', `--outputFile=${report}`];
    const jest = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...options, ...tests], {
      cwd: this.#path,
      env: { ...process.env, ...(await this.#environment(files)), FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (text) => (output += text));
    const [status] = await once(jest, 'close');
    return { green: status === 0, ...countTests(report), output };
  }

  /** Takes the control out, runs its tests and puts it back. @returns one word for what they said, and the numbers */
  async without({ file, out, into, also = [], tests }) {
    const edits = [{ out, into }, ...also].map((edit) => ({ file, ...edit }));
    const sources = new Map(edits.map((edit) => [edit.file, readFileSync(join(this.#path, edit.file), 'utf8')]));
    const stale = edits.find((edit) => sources.get(edit.file).split(edit.out).length !== 2);
    if (stale)
      return { verdict: 'STALE', remark: `: in ${stale.file} there is not exactly one ${JSON.stringify(stale.out)}` };
    for (const [path, source] of sources) {
      const here = edits.filter((edit) => edit.file === path);
      const text = here.reduce((before, edit) => before.replace(edit.out, () => edit.into), source);
      // What does not even compile leaves dist/ as it is; its tests cannot be loaded either.
      await this.#write(path, text).catch(() => undefined);
    }
    const { green, failed, begun } = await this.run(tests, 1, [...sources.keys()]);
    for (const [path, source] of sources) await this.#write(path, source);
    if (green) return { verdict: 'SURVIVED', remark: '' };
    return {
      verdict: begun === 0 || failed === 0 ? 'BROKEN' : 'red',
      remark: ` (${failed} failed of ${begun} begun)`,
    };
  }

  async #write(file, text) {
    writeFileSync(join(this.#path, file), text);
    await this.#compile(file);
  }

  /** The file alone goes into dist/ as well: the compiler would need longer for the whole than the tests. */
  async #compile(file) {
    const source = join(this.#path, file);
    const target = join(this.#path, 'dist', file.slice('src/'.length).replace(/\.ts$/, '.js'));
    if (!file.startsWith('src/') || !file.endsWith('.ts') || !existsSync(target)) return;
    writeFileSync(target, javascriptOf(source));
    execFileSync(process.execPath, ['scripts/bundle.mjs'], { cwd: this.#path, stdio: 'ignore' });
    this.#markBuilt();
  }

  #markBuilt() {
    const now = new Date(Date.now() + 1_000);
    utimesSync(join(this.#path, 'dist/.built'), now, now);
  }
}

/** A test whose set-up failed was not begun, and says nothing about the control: perhaps nothing could be loaded. */
function countTests(report) {
  if (!existsSync(report)) return { failed: 0, begun: 0 };
  const cases = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults);
  const wasBegun = ({ status, failureMessages }) =>
    status === 'passed' || (status === 'failed' && !failureMessages.some((message) => message.includes(NOT_BEGUN)));
  return {
    failed: cases.filter(({ status }) => status === 'failed').length,
    begun: cases.filter(wasBegun).length,
  };
}

const specs = [...new Set(chosen.flatMap((control) => control.tests))];
process.stdout.write(`${chosen.length} controls, ${specs.length} test files; first with every control in place …\n`);
const first = new Copy();
const baseline = await first.run(specs, jobs);
if (!baseline.green) {
  process.stdout.write(`${baseline.output.slice(-6000)}\nThe tests are red before anything was taken out.\n`);
  process.exit(1);
}

const waiting = [...chosen];
let red = 0;
async function work(copy) {
  for (let control = waiting.shift(); control; control = waiting.shift()) {
    const { verdict, remark } = await copy.without(control);
    if (verdict === 'red') red++;
    process.stdout.write(`${verdict.padEnd(9)} ${control.item}  ${control.control}${remark}\n`);
  }
}
const copies = [first, ...Array.from({ length: Math.min(jobs, chosen.length) - 1 }, () => new Copy())];
for (const copy of copies.slice(1)) copy.takeBuild(first);
await Promise.all(copies.map((copy) => copy.start()));
await Promise.all(copies.map(work));
await Promise.all(copies.map((copy) => copy.stop()));
process.stdout.write(`${red} passed, ${chosen.length - red} failed\n`);
process.exitCode = red === chosen.length ? 0 : 1;
