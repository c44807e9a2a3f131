import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

describe('Files of shared SQL', () => {
  it('serve several files: a statement of one file is in that file', () => {
    const files = readSourceTree(resolve('src'));
    const shared = files.map(({ path }) => path).filter((path) => path.endsWith('.sql.ts'));
    expect(shared.length).toBeGreaterThan(5);
    const users = (path: string) => files.filter(({ imports }) => imports.includes(path)).length;
    expect(shared.filter((path) => users(path) < 2)).toEqual([]);
  });
});
