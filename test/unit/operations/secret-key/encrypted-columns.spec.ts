import { describe, expect, it } from '@jest/globals';
import { dirname, join, resolve } from 'node:path';
import { readSourceTree } from '../../architecture/source-tree.js';

const LIST = 'operations/secret-key/encrypted-columns.ts';
const files = readSourceTree(resolve('src'));

describe('Columns encrypted with SECRET_KEY', () => {
  it('are listed for the rotation: the list imports from every folder that encrypts', () => {
    const seals = files.filter(({ path, text }) => /\bbox\s*\.seal\(/i.test(text) && dirname(path) !== dirname(LIST));
    expect(seals.length).toBeGreaterThan(1);
    const { text: list } = files.find(({ path }) => path === LIST)!;
    const listed = new Set(
      [...list.matchAll(/ from '([^']+)'/g)].map(([, path]) => dirname(join(dirname(LIST), path!))),
    );
    expect(seals.filter(({ path }) => !listed.has(dirname(path))).map(({ path }) => path)).toEqual([]);
  });
});
