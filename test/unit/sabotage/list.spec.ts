import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Edit {
  readonly file?: string;
  readonly out: string;
  readonly into: string;
}

interface Control extends Edit {
  readonly control: string;
  readonly file: string;
  /** Further places, of the same file unless they name another. */
  readonly also?: readonly (Edit & { readonly file?: string })[];
  readonly tests: readonly string[];
}

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'test/sabotage');
const lists = await Promise.all(
  readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map(async (name) => [name, ((await import(join(folder, name))) as { default: Control[] }).default] as const),
);

/** Running the list takes an hour or two, so nobody would notice for weeks that an entry no longer fits the source. */
describe.each(lists)('Sabotage list %s', (_, controls) => {
  it.each(controls.map((control) => [control.control, control] as const))('matches the source: %s', (__, entry) => {
    for (const { out, into, file = entry.file } of [entry, ...(entry.also ?? [])]) {
      const source = readFileSync(join(root, file), 'utf8');
      expect({ out, places: source.split(out).length - 1 }).toEqual({ out, places: 1 });
      expect(into).not.toBe(out);
    }
    expect(entry.tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(entry.tests).not.toHaveLength(0);
  });
});
