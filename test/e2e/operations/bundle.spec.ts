import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testRedisUrl } from '../../support/redis.js';
import { testEnvironment } from '../../support/test-settings.js';

const IS_CACHED = `import('./dist/load-program.js').then((module) => {
  console.log(module.compileWithCache().cachedDataRejected === false);
})`;

const CACHE = `-${process.arch}.cache`;

describe('Bundle of a build', () => {
  const copy = mkdtempSync(join(tmpdir(), 'bundle-'));
  const run = (...options: string[]) =>
    spawnSync(process.execPath, options, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, ...testEnvironment(), REDIS_URL: testRedisUrl() },
    });
  const fileOf = (extension: string): string =>
    join(
      copy,
      'dist/bundle',
      readdirSync(join(copy, 'dist/bundle')).find((name) => name.endsWith(extension))!,
    );

  beforeAll(() => {
    cpSync(resolve('dist'), join(copy, 'dist'), { recursive: true });
    cpSync(resolve('package.json'), join(copy, 'package.json'));
    for (const name of ['node_modules', 'assets', 'data', 'docs', 'locales', 'views']) {
      symlinkSync(resolve(name), join(copy, name));
    }
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('contains a code cache that V8 accepts', () => {
    expect(run('-e', IS_CACHED)).toMatchObject({ stdout: 'true\n', stderr: '' });
  });

  it('contains another for the options of Node that the image sets', () => {
    const [, option] = /^ENV NODE_OPTIONS=(\S+)$/m.exec(readFileSync('Dockerfile', 'utf8'))!;
    expect(run(option!, '-e', IS_CACHED)).toMatchObject({ stdout: 'true\n', stderr: '' });
  });

  it('names the exact V8 in its code cache: another patch level accepts the cache and hangs', () => {
    expect(fileOf(CACHE)).toMatch(new RegExp(`\\.${process.versions.v8}-${process.arch}\\.cache$`));
  });

  it('runs without its code cache if V8 rejects it', () => {
    writeFileSync(fileOf(CACHE), 'damaged');
    expect(run('-e', IS_CACHED).stdout).toBe('false\n');
    expect(run('dist/cli.js', '--help')).toMatchObject({ status: 0, stderr: '' });
  });

  it('prints "run npm run build" and exits with 1 if it is missing', () => {
    rmSync(fileOf('.cjs'));
    const { status, stderr } = run('dist/cli.js', '--help');
    expect([status, stderr]).toEqual([1, expect.stringContaining('run npm run build')]);
  });
});
