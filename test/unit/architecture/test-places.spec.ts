import { describe, expect, it } from '@jest/globals';
import { basename, dirname, resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

/** Folders of sources by the name of the source, without its ending. */
function foldersByName(): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const { path } of readSourceTree(resolve('src'))) {
    const name = basename(path, '.ts');
    folders.set(name, [...(folders.get(name) ?? []), dirname(path)]);
  }
  return folders;
}

describe('Test files that are named as a source file', () => {
  const folders = foldersByName();

  // Tests of bench/ are named as its files, which may have the name of a source file by chance.
  it.each(['unit', 'db'])('are in the same folder of test/%s as the source in src', (part) => {
    const misplaced = readSourceTree(resolve('test', part))
      .filter(({ path }) => path.endsWith('.spec.ts') && !path.startsWith('bench/'))
      .map(({ path }) => ({ path, expected: folders.get(basename(path, '.spec.ts')) }))
      .filter(({ path, expected }) => expected && !expected.includes(dirname(path)));
    expect(misplaced).toEqual([]);
  });
});
