import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ACTORS, readAuthzMatrix } from '../../support/authz-matrix.js';

describe('docs/authorization.md', () => {
  const page = readFileSync(resolve('docs/authorization.md'), 'utf8');

  it('matches the output of `npm run matrix`', () => {
    const made = execFileSync(process.execPath, ['scripts/authorization-page.mjs', '--print'], { encoding: 'utf8' });
    expect(made).toBe(page);
  });

  it('contains every row of the table with the status of every caller', () => {
    const lines = page.split('\n');
    for (const { name, cells } of readAuthzMatrix()) {
      const [method, ...path] = name.split(' ');
      const line = lines.find((each) => each.startsWith(`| ${method} | ${path.join(' ')} |`));
      expect([name, line]).toEqual([name, expect.any(String)]);
      const shown = line!.split(' | ').slice(2, 2 + ACTORS.length);
      expect([name, shown.map((cell) => Number.parseInt(cell, 10))]).toEqual([
        name,
        ACTORS.map((actor) => cells[actor]),
      ]);
    }
  });
});
