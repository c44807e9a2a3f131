/** Test files for the runner, by name: what each of them does to the next one in its process, or to itself. */
export const FIXTURES = {
  'passes.spec.mjs': `
    it('waits for a promise later than it was made', async () => {
      const refused = Promise.reject(new Error('expected'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await expect(refused).rejects.toThrow('expected');
    });
    describe.each([1, 2])('a group of %s', (n) => it('passes', () => expect(n).toBeLessThan(3)));`,
  'has-async-contexts.spec.mjs': `
    it('has the AsyncLocalStorage of Node, which lasts beyond a promise', async () => {
      const storage = new AsyncLocalStorage();
      expect(await storage.run('kept', async () => { await null; return storage.getStore(); })).toBe('kept');
    });`,
  'fails.spec.mjs': `it('expects what is not', () => expect(1).toBe(2));`,
  'cannot-be-loaded.spec.mjs': `import './no-such-file.js'; it('is never reached', () => undefined);`,
  'has-no-test.spec.mjs': ``,
  'takes-too-long.spec.mjs': `it('waits for ever', () => new Promise(() => undefined), 50);`,
  'throws-late.spec.mjs': `
    it('throws where nobody waits', async () => {
      setTimeout(() => { throw new Error('thrown late'); }, 5);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`,
  'rejects-late.spec.mjs': `
    it('rejects where nobody waits', async () => {
      void Promise.reject(new Error('rejected late'));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`,
  'set-up-fails.spec.mjs': `
    beforeAll(() => { throw new Error('no stage'); });
    it('needs the stage', () => undefined);`,
  'tear-down-fails.spec.mjs': `
    afterAll(() => { throw new Error('no way out'); });
    it('passes', () => undefined);`,
  'expects-too-little.spec.mjs': `it('makes no assertion', () => expect.assertions(1));`,
  'ends-the-process.spec.mjs': `it('exits', () => process.exit(3));`,
  'leaves-a-server.spec.mjs': `it('listens', () => new Promise((done) => createServer().listen(0, '127.0.0.1', done)));`,
  'leaves-a-child.spec.mjs': `it('spawns', () => void spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)']));`,
  'leaves-a-variable.spec.mjs': `it('sets', () => { process.env.LEFT_BEHIND = 'yes'; });`,
  'leaves-a-folder.spec.mjs': `it('goes elsewhere', () => process.chdir('/'));`,
  // These two are run one after the other and share a module.
  'x-first.spec.mjs': `import { shared } from './shared.mjs'; it('counts', () => expect(++shared.count).toBeGreaterThan(0));`,
  'y-second.spec.mjs': `import { shared } from './shared.mjs'; it('counts', () => expect(++shared.count).toBeGreaterThan(0));`,
  'z-clean.spec.mjs': `
    import { shared } from './shared.mjs';
    it('finds the module that others used, and nothing else of theirs', () => {
      expect([shared.count, process.env.LEFT_BEHIND, process.cwd()]).toEqual([2, undefined, shared.folder]);
    });`,
} as const;

export const SHARED = 'export const shared = { count: 0, folder: process.cwd() };';

export const PRELUDE = `
  import { AsyncLocalStorage } from 'node:async_hooks';
  import { spawn } from 'node:child_process';
  import { createServer } from 'node:net';
  import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';`;

export const BY_NAME = `
  export default class {
    sort(tests) { return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1)); }
    cacheResults() {}
  }`;
