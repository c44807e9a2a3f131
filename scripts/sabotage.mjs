// Takes each security control out of a copy of the source and demands that the tests named beside it turn red.
//   npm run test:sabotage [-- <word> …]   only controls whose list, item or text holds one of the words
import { spawnSync } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { NOT_BEGUN } from '../test/support/runner/result.js';
import { javascriptOf } from './typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test/sabotage');
const words = process.argv.slice(2);

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

const copy = mkdtempSync(join(tmpdir(), 'sabotage-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of readdirSync(root)) {
  if ((name.startsWith('.') && name !== '.env.example') || ['node_modules', 'dist', 'coverage'].includes(name))
    continue;
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const report = join(copy, '.report.json');

/** @returns whether all of the tests passed, how many failed, and how many were run at all */
function run(tests) {
  rmSync(report, { force: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--maxWorkers=2', '--json', `--outputFile=${report}`, ...tests],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' }, maxBuffer: 1 << 28 },
  );
  return { green: status === 0, ...countTests(), output: `${stdout}\n${stderr}` };
}

/** A test whose set-up failed was not begun, and says nothing about the control: perhaps nothing could be loaded. */
function countTests() {
  if (!existsSync(report)) return { failed: 0, begun: 0 };
  const cases = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults);
  const wasBegun = ({ status, failureMessages }) =>
    status === 'passed' || (status === 'failed' && !failureMessages.some((message) => message.includes(NOT_BEGUN)));
  return {
    failed: cases.filter(({ status }) => status === 'failed').length,
    begun: cases.filter(wasBegun).length,
  };
}

/** The file alone goes into dist/ as well: the compiler would need longer for the whole than the tests. */
async function compile(file) {
  const source = join(copy, file);
  const target = join(copy, 'dist', file.slice('src/'.length).replace(/\.ts$/, '.js'));
  if (!file.startsWith('src/') || !file.endsWith('.ts') || !existsSync(target)) return;
  writeFileSync(target, await javascriptOf(source));
  const now = new Date(Date.now() + 1_000);
  utimesSync(join(copy, 'dist/.built'), now, now);
}

const specs = [...new Set(chosen.flatMap((control) => control.tests))];
process.stdout.write(`${chosen.length} controls, ${specs.length} test files; first with every control in place …\n`);
const baseline = run(specs);
if (!baseline.green) {
  process.stdout.write(`${baseline.output.slice(-6000)}\nThe tests are red before anything was taken out.\n`);
  process.exit(1);
}

let survived = 0;
for (const { item, control, file, out, into, also = [], tests } of chosen) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const edits = [{ out, into }, ...also];
  const stale = edits.find((edit) => source.split(edit.out).length !== 2);
  if (stale) {
    process.stdout.write(
      `STALE     ${item}  ${control}: in ${file} there is not exactly one ${JSON.stringify(stale.out)}\n`,
    );
    survived++;
    continue;
  }
  writeFileSync(
    path,
    edits.reduce((text, edit) => text.replace(edit.out, () => edit.into), source),
  );
  // What does not even compile leaves dist/ as it is; its tests cannot be loaded either.
  await compile(file).catch(() => undefined);
  const { green, failed, begun } = run(tests);
  writeFileSync(path, source);
  await compile(file);
  if (green || begun === 0 || failed === 0) survived++;
  const verdict = green ? 'SURVIVED ' : begun === 0 || failed === 0 ? 'BROKEN   ' : 'red      ';
  process.stdout.write(`${verdict} ${item}  ${control}${green ? '' : ` (${failed} failed of ${begun} begun)`}\n`);
}
process.stdout.write(`${chosen.length - survived} passed, ${survived} failed\n`);
process.exitCode = survived === 0 ? 0 : 1;
