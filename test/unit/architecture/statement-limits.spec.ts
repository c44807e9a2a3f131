import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

describe('The time limit of a statement', () => {
  it('is changed in one place, which changes that of the client too', () => {
    const files = readSourceTree(resolve('src')).filter(({ text }) => /set (local )?statement_timeout/i.test(text));
    expect(files.map(({ path }) => path.replace(/^.*\/src\//, ''))).toEqual(['database/connection/long-statements.ts']);
  });
});
