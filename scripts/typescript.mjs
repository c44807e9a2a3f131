// node --import ./scripts/typescript.mjs <file>.ts: lets Node import TypeScript, for the TypeORM command line.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

if (isMainThread) register(import.meta.url);

/** Under NodeNext a source imports `./x.js` and means `./x.ts`. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(specifier)) throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context).catch(() => Promise.reject(error));
  }
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
