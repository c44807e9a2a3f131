import { describe, expect, it } from '@jest/globals';
import { dirname, resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

const files = readSourceTree(resolve('src'));

describe('what is sealed with SECRET_KEY', () => {
  it('is told to the rotation: every folder that seals has a SealedColumn', () => {
    const seals = files.filter(({ path, text }) => /\bbox\s*\.seal\(/i.test(text) && !path.startsWith('operations/'));
    expect(seals.length).toBeGreaterThan(1);
    const told = new Set(
      files.filter(({ text }) => /extends SealedColumn\b/.test(text)).map(({ path }) => dirname(path)),
    );
    expect(seals.filter(({ path }) => !told.has(dirname(path))).map(({ path }) => path)).toEqual([]);
  });
});
