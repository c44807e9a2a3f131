import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type { Program } from './program.js';

/**
 * Made by scripts/bundle.mjs: `<hash>.cjs`, all of the service in one file, and `<hash>.<version of V8>.cache`, what V8
 * compiled it to.
 */
const FOLDER = fileURLToPath(new URL('./bundle/', import.meta.url));

type Bundle = (
  module: { exports: unknown },
  require: NodeJS.Require,
  __dirname: string,
  __import: (specifier: string) => Promise<unknown>,
) => void;

/** Loads the bundle. Where there is no cache for this version of Node, V8 compiles it, which takes half a second. */
export function loadProgram(environment: NodeJS.ProcessEnv): Program {
  const path = bundlePath();
  return run(compileWithCache(path, environment), path);
}

/** @returns the compiled bundle; `cachedDataRejected` is false where the cache was used */
export function compileWithCache(path = bundlePath(), environment: NodeJS.ProcessEnv = {}): Script {
  const cache = cachePath(path, environment);
  return compile(path, existsSync(cache) ? readFileSync(cache) : undefined);
}

/** Compiles the bundle, loads everything that any entry needs, and keeps the compiled code for the starts to come. */
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

/** Its name is the hash of its content: V8 itself compares no more than the length before it trusts a cache. */
function bundlePath(): string {
  const name = readdirSync(FOLDER).find((file) => file.endsWith('.cjs'));
  if (name === undefined) throw new Error('There is no bundle in dist/bundle: run npm run build');
  return join(FOLDER, name);
}

/**
 * With the size of the young generation where it is set: V8 refuses a cache that was made under another one.
 * With the whole version: Node patches V8, and V8 accepts a cache of its own version with other patches,
 * and hangs on it.
 */
function cachePath(path: string, environment: NodeJS.ProcessEnv = {}): string {
  const options = [environment['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' ');
  const size = /--max[-_]semi[-_]space[-_]size[= ](\d+)/.exec(options)?.[1];
  const flags = size === undefined ? '' : `-semi${size}`;
  return path.replace(/\.cjs$/, `.${process.versions.v8}-${process.arch}${flags}.cache`);
}
