import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { placeOf } from '../../support/runner/longest.js';

const SOURCE = readFileSync('test/support/runner/longest.js', 'utf8');
const LONGEST = [...SOURCE.matchAll(/^ {2}'(.+)',$/gm)].map(([, file]) => file!);

describe('Longest test files', () => {
  it('exist', () => {
    expect(LONGEST.length).toBeGreaterThan(0);
    expect(LONGEST.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('come before all others, in their order', () => {
    const others = resolve('test/unit/runner/sequencer.spec.ts');
    expect([...LONGEST.map((file) => resolve(file)), others].map((path) => placeOf({ path }))).toEqual([
      ...LONGEST.keys(),
      LONGEST.length,
    ]);
  });
});
