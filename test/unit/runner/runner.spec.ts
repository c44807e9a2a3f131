import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BY_NAME, FIXTURES, PRELUDE, SHARED } from './fixtures.js';

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: { readonly status: string }[];
}

/** In a folder of its own, by jest itself, in one process that is replaced only when it dies. */
describe('Test runner', () => {
  let folder: string;
  let said: string;
  let code: number;
  let files: Map<string, FileResult>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runner-'));
    for (const [name, source] of Object.entries(FIXTURES)) writeFileSync(join(folder, name), PRELUDE + source);
    writeFileSync(join(folder, 'shared.mjs'), SHARED);
    writeFileSync(join(folder, 'by-name.mjs'), BY_NAME);
    const support = resolve('test/support');
    const config = {
      rootDir: folder,
      displayName: 'fixtures',
      testMatch: ['**/*.spec.mjs'],
      runner: join(support, 'runner/runner.js'),
      testSequencer: join(folder, 'by-name.mjs'),
      reporters: [join(support, 'closing-line-reporter.js')],
      transform: {},
      testTimeout: 5_000,
    };
    const report = join(folder, 'report.json');
    const child = spawn(
      process.execPath,
      [
        'node_modules/jest/bin/jest.js',
        '--maxWorkers=1',
        '--config',
        JSON.stringify(config),
        '--json',
        `--outputFile=${report}`,
      ],
      { env: { ...process.env, FORCE_COLOR: '0', TEST_MS_TO_CLOSE: '2000' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const [output, , [ended]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    said = output;
    code = ended as number;
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: FileResult[] };
    files = new Map(testResults.map((result) => [result.name.slice(folder.length + 1), result]));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs every file and counts every error, also those outside tests', () => {
    expect([...files.keys()].sort()).toEqual(Object.keys(FIXTURES).sort());
    expect(code).toBe(1);
    expect(said.trim().split('\n').at(-1)).toMatch(/^\d+ passed, 14 failed$/);
  });

  it.each([
    'passes.spec.mjs',
    'has-async-contexts.spec.mjs',
    'x-first.spec.mjs',
    'y-second.spec.mjs',
    'z-clean.spec.mjs',
  ])('passes %s', (name) => {
    const { status, message, assertionResults } = files.get(name)!;
    expect([status, message]).toEqual(['passed', '']);
    expect(assertionResults.length).toBeGreaterThan(0);
  });

  it.each([
    ['fails.spec.mjs', 'Expected: 2'],
    ['cannot-be-loaded.spec.mjs', 'no-such-file.js'],
    ['has-no-test.spec.mjs', 'must contain at least one test'],
    ['takes-too-long.spec.mjs', 'Exceeded timeout of 50 ms'],
    ['throws-late.spec.mjs', 'thrown late'],
    ['rejects-late.spec.mjs', 'rejected late'],
    ['set-up-fails.spec.mjs', 'no stage'],
    ['set-up-fails.spec.mjs', 'The test itself was not begun'],
    ['tear-down-fails.spec.mjs', 'no way out'],
    ['expects-too-little.spec.mjs', 'expect.assertions(1)'],
    ['ends-the-process.spec.mjs', 'ended with 3'],
    [
      'leaves-a-server.spec.mjs',
      'left behind, for those that run after it in the same process: 1 × a listening server',
    ],
    ['leaves-a-child.spec.mjs', '1 × a child process'],
    ['leaves-a-variable.spec.mjs', 'a changed process.env.LEFT_BEHIND'],
    ['leaves-a-folder.spec.mjs', 'another working directory'],
  ])('fails %s: %s', (name, why) => {
    expect(files.get(name)!.status).toBe('failed');
    expect(files.get(name)!.message).toContain(why);
  });
});
