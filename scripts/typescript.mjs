// node --import ./scripts/typescript.mjs <file>.ts: lets Node import TypeScript, for the TypeORM command line.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

if (isMainThread) register(import.meta.url);

/** Under NodeNext a source imports `./x.js` and means `./x.ts`. That is looked for first: Node is slow to find nothing. */
export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && !context.parentURL?.includes('/node_modules/')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  return { format: 'module', source: await javascriptOf(filename), shortCircuit: true };
}

/** @returns what a TypeScript file compiles to, without a look at its types */
export async function javascriptOf(filename) {
  const { code } = await transform(await readFile(filename, 'utf8'), {
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
