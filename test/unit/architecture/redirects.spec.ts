import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

/** The snippets are for the apps of other developers. */
const files = readSourceTree(resolve('src')).filter(
  ({ path }) => !path.startsWith('console/apps/integration/snippets/'),
);

/** Where a file sends a redirect, or answers a prefetch, by itself. */
function pathsWith(pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe('Redirects and answers to prefetches', () => {
  it('are sent by one function, which sets the status and the headers', () => {
    expect(pathsWith(/'Location'|response\.redirect\(|\)\.redirect\(30/)).toEqual(['common/http/redirect-to.ts']);
  });

  it('are sent by one function for prefetches', () => {
    // The other one answers the preflights of CORS.
    expect(pathsWith(/status\(204\)\.end\(\)/)).toEqual([
      'common/http/browser/cors.ts',
      'common/http/browser/prefetch.ts',
    ]);
  });
});
