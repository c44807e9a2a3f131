import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type { Program } from './program.js';

/**
 * Created by scripts/bundle.mjs: `<hash>.cjs`, the whole service in one file, and `<hash>.<version of V8>.cache`, its
 * code compiled by V8.
 */
const FOLDER = fileURLToPath(new URL('./bundle/', import.meta.url));

type Bundle = (
  module: { exports: unknown },
  require: NodeJS.Require,
  __dirname: string,
  __import: (specifier: string) => Promise<unknown>,
) => void;

/** Loads the bundle. Without a cache for this version of Node, V8 compiles it, which takes half a second. */
export function loadProgram(environment: NodeJS.ProcessEnv): Program {
  const path = bundlePath();
  return run(compileWithCache(path, environment), path);
}

/** @returns the compiled bundle; `cachedDataRejected` is false if the cache was used */
export function compileWithCache(path = bundlePath(), environment: NodeJS.ProcessEnv = {}): Script {
  const cache = cachePath(path, environment);
  return compile(path, existsSync(cache) ? readFileSync(cache) : undefined);
}

/** Compiles the bundle, loads everything that any entry needs, and stores the compiled code for later starts. */
export async function writeCodeCache(): Promise<void> {
  const path = bundlePath();
  const script = compile(path);
  await run(script, path).preload();
  writeFileSync(cachePath(path), script.createCachedData());
}

function compile(filename: string, cachedData?: Buffer): Script {
  const code = `(module, require, __dirname, __import) => {${readFileSync(filename, 'latin1')}\n}`;
  return new Script(code, { filename, ...(cachedData && { cachedData }) });
}

function run(script: Script, path: string): Program {
  const module = { exports: {} as { program: Program } };
  const start = script.runInThisContext() as Bundle;
  start(module, createRequire(path), dirname(path), (specifier) => import(specifier));
  return module.exports.program;
}

/** The name is the hash of the content, because V8 compares only the length before it accepts a cache. */
function bundlePath(): string {
  const name = readdirSync(FOLDER).find((file) => file.endsWith('.cjs'));
  if (name === undefined) throw new Error('There is no bundle in dist/bundle: run npm run build');
  return join(FOLDER, name);
}

/**
 * Includes the size of the young generation if it is set, because V8 rejects a cache that was made with another one.
 * Includes the whole version of V8, because Node patches V8, and V8 accepts a cache of the same version with other
 * patches and then hangs.
 */
function cachePath(path: string, environment: NodeJS.ProcessEnv = {}): string {
  const options = [environment['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' ');
  const size = /--max[-_]semi[-_]space[-_]size[= ](\d+)/.exec(options)?.[1];
  const flags = size === undefined ? '' : `-semi${size}`;
  return path.replace(/\.cjs$/, `.${process.versions.v8}-${process.arch}${flags}.cache`);
}
