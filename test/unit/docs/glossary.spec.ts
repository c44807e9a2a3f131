import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceTree } from '../architecture/source-tree.js';

const root = join(import.meta.dirname, '../../..');

describe('docs/glossary.md', () => {
  const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
  const source = readSourceTree(join(root, 'src'))
    .map(({ text }) => text)
    .join('\n');

  it('explains only terms that the code still uses', () => {
    const rows = glossary.slice(glossary.indexOf('## Own words in the code')).match(/^\| `.*$/gm) ?? [];
    const names = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });
});
