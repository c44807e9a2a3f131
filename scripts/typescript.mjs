// node --import ./scripts/typescript.mjs <file>.ts: lets Node import TypeScript, for the TypeORM command line.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

addHooks(import.meta.url, { resolve, load });

/**
 * In the thread itself where Node can do that (since 22.15). Otherwise in a thread of Node's, for which each import waits: the
 * service is then loaded in 7 instead of 4.5 CPU seconds.
 * @param {string} url of the module that exports the hooks
 */
export function addHooks(url, hooks) {
  if (modules.registerHooks) modules.registerHooks(hooks);
  else if (isMainThread) modules.register(url);
}

/** Under NodeNext a source imports `./x.js` and means `./x.ts`. That is looked for first: Node is slow to find nothing. */
export function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && !context.parentURL?.includes('/node_modules/')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  return { format: 'module', source: javascriptOf(filename), shortCircuit: true };
}

/** @returns what a TypeScript file compiles to, without a look at its types */
export function javascriptOf(filename) {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2023',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  });
  return code;
}
