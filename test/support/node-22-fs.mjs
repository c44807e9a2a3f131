// node --import ./test/support/node-22-fs.mjs <file>: for a tool that imports `globSync` from `fs`, which Node 20 does not
// have, and does not use it for what it is run for here.
import * as fs from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && !('globSync' in fs)) register(import.meta.url);

const NAMES = Object.keys(fs).filter((name) => name !== 'default');
const SOURCE = `import fs from 'node:fs';
export default fs;
export const { ${NAMES.join(', ')} } = fs;
export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };`;

export function resolve(specifier, context, next) {
  if (specifier !== 'fs') return next(specifier, context);
  return { url: `data:text/javascript,${encodeURIComponent(SOURCE)}`, shortCircuit: true };
}
