// Compiles src/ to dist/ and bundles it, when dist/ is missing or older than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
// TypeScript 6 is there for ESLint, which cannot use version 7 yet (docs/decisions/0100).
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
const bundler = join(root, 'scripts/bundle.mjs');

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** By time stamps: one look at each source file, a few milliseconds. */
export function isStale() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
  const sources = [...settings.map((name) => join(root, name)), ...files(join(root, 'src'))];
  return sources.some((file) => statSync(file).mtimeMs > built) || orphans().length > 0;
}

/** Compiled files whose source is gone; TypeORM finds entities and migrations by their names and would load them. */
function orphans() {
  if (!existsSync(dist)) return [];
  return files(dist).filter((file) => {
    const match = /^(.*)\.js(\.map)?$/.exec(relative(dist, file));
    return match && !['ts', 'js'].some((extension) => existsSync(join(root, 'src', `${match[1]}.${extension}`)));
  });
}

/** @returns whether the compiler had nothing to complain about; it writes what it can even then */
export function build() {
  const started = new Date();
  const compiled = succeeds(compiler, '-p', 'tsconfig.build.json');
  for (const file of orphans()) rmSync(file, { force: true });
  if (!compiled || !succeeds(bundler)) return false;
  // Older than anything saved while the compiler was running.
  writeFileSync(stamp, '');
  utimesSync(stamp, started, started);
  return true;
}

function succeeds(script, ...options) {
  return spawnSync(process.execPath, [script, ...options], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

/** An image without development packages has no compiler: what was built is what runs. */
export function buildIfStale() {
  if (!existsSync(compiler) && existsSync(join(dist, 'main.js'))) return true;
  return !isStale() || build();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href && !build()) process.exitCode = 1;
