import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { runCli } from '../../support/cli.js';
import { readSourceTree } from '../../unit/architecture/source-tree.js';

// security 113
describe('The command secret-key rotate', () => {
  it('knows every SealedColumn of the source', async () => {
    const written = readSourceTree(resolve('src'))
      .filter(({ text }) => /extends SealedColumn\b/.test(text.replace(/^ \*.*$/gm, '')))
      .map(({ text }) => `${/readonly table = '(\w+)'/.exec(text)![1]}.${/readonly column = '(\w+)'/.exec(text)![1]}`);
    const { said } = await runCli(['secret-key', 'rotate']);
    expect(written.length).toBeGreaterThan(1);
    for (const column of written) expect(said).toMatch(new RegExp(`^${column}: \\d+ sealed again$`, 'm'));
  });
});
