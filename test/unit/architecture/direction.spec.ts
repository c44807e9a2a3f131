import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { findViolations, KNOWN_TWO_WAY_FOLDERS, readSourceTree, twoWayFolders } from './source-tree.js';

const SRC = resolve('src');

describe('Source tree', () => {
  it('imports strictly downwards, without cycles, barrels or a second reader of the environment', () => {
    expect(readSourceTree(SRC).length).toBeGreaterThan(20);
    expect(findViolations(SRC)).toEqual([]);
  });

  it('has at most 15 files in a folder, so that a name is found by looking', () => {
    const counts = new Map<string, number>();
    for (const { path } of readSourceTree(SRC)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    counts.delete('database/migrations');
    expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
  });

  it('needs every entry in its list of folders that import each other', () => {
    const listed = KNOWN_TWO_WAY_FOLDERS.map(([one, other]) => `${one}/ and ${other}/ import each other`);
    expect(twoWayFolders(readSourceTree(SRC))).toEqual(listed.sort());
  });
});

describe('Worker process', () => {
  it('loads no file of the Console', () => {
    const imports = new Map(readSourceTree(SRC).map((file) => [file.path, file.imports]));
    const loaded = new Set(['processes/run-worker.ts']);
    for (const path of loaded) for (const target of imports.get(path) ?? []) loaded.add(target);
    expect(loaded).toContain('operators/tasks/membership-actions.runner.ts');
    expect([...loaded].filter((path) => path.startsWith('console/'))).toEqual([]);
  });
});

describe('Check of the source tree', () => {
  let folder: string;
  const plant = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'architecture-'));
    plant('common/clock.ts', 'export const clock = 1;');
    plant('users/users.service.ts', "import { clock } from '../common/clock.js';\nexport const users = clock;");
    plant('main.ts', "import { users } from './users/users.service.js';\nconsole.log(users, process.env);");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('accepts a correct tree', () => {
    expect(findViolations(folder)).toEqual([]);
  });

  it.each([
    ['an upward import', "import { users } from '../users/users.service.js';\nexport default users;"],
    [
      'an upward import of a type',
      "import type { users } from '../users/users.service.js';\nexport type A = typeof users;",
    ],
    ['an upward dynamic import', "export const later = import('../users/users.service.js');"],
    ['an upward re-export', "export { users } from '../users/users.service.js';"],
  ])('finds %s', (_, text) => {
    plant('common/planted.ts', text);
    expect(findViolations(folder)).toEqual(['common/planted.ts must not import users/users.service.ts']);
  });

  it('finds an import of a neighbor on the same line', () => {
    plant('apps/apps.service.ts', "import '../users/users.service.js';");
    expect(findViolations(folder)).toEqual(['apps/apps.service.ts must not import users/users.service.ts']);
  });

  it('finds an import of a composition root', () => {
    plant('processes/app.module.ts', 'export const app = 1;');
    plant('console/console.service.ts', "import '../processes/app.module.js';");
    expect(findViolations(folder)).toEqual(['console/console.service.ts must not import processes/app.module.ts']);
  });

  it('finds a cycle inside one module', () => {
    plant('users/a.ts', "import './b.js';");
    plant('users/b.ts', "import './a.js';");
    expect(findViolations(folder)).toEqual(['cycle: users/a.ts → users/b.ts → users/a.ts']);
  });

  it.each([
    ['two folders', 'push/settings', 'push/quota'],
    ['a folder and the one above it', 'push', 'push/quota'],
  ])('finds %s of one module that import each other, although no file is in a cycle', (_, one, other) => {
    plant(`${one}/a.ts`, `import '${relative(one, other)}/b.js';`.replace("'q", "'./q"));
    plant(`${one}/c.ts`, 'export const c = 1;');
    plant(`${other}/b.ts`, 'export const b = 1;');
    plant(`${other}/d.ts`, `import '${relative(other, one)}/c.js';`);
    expect(findViolations(folder)).toEqual([`${[one, other].sort().join('/ and ')}/ import each other`]);
  });

  it('finds a module without a place in the order', () => {
    plant('billing/billing.service.ts', 'export const billing = 1;');
    expect(findViolations(folder)).toEqual(['billing/ has no place in the direction table']);
  });

  it.each(['users/index.ts', 'users/everything.ts'])('finds the barrel %s', (path) => {
    plant(path, "export * from './users.service.js';");
    expect(findViolations(folder)).toEqual([`${path} is a barrel`]);
  });

  it.each([
    'export const port = process.env.PORT;',
    "export const port = process['env'].PORT;",
    "import { env as e } from 'node:process';\nexport const port = e.PORT;",
  ])('finds a second reader of the environment: %s', (text) => {
    plant('users/port.ts', text);
    expect(findViolations(folder)).toEqual(['users/port.ts reads process.env, which only config/env.ts may']);
  });

  it('allows a comment that mentions the environment', () => {
    plant('users/port.ts', "// process.env is read elsewhere\nexport const hint = 'process.env';");
    expect(findViolations(folder)).toEqual([]);
  });
});
