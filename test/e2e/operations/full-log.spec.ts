import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { testRedisUrl } from '../../support/redis.js';
import { testEnvironment } from '../../support/test-settings.js';
import { eventually } from '../../support/wait.js';

/** Of the file that the log goes to; like a full volume, the system refuses each further byte. */
const FILE_KIB = 64;
const LONG_PATH = `/${'x'.repeat(7_000)}`;

// F13
describe('Log on a full volume', () => {
  let folder: string;
  let service: ChildProcess;
  let exited: Promise<unknown>;
  let baseUrl: string;

  const log = () => readFileSync(join(folder, 'log'), 'utf8');
  const request = async (path: string) => (await fetch(baseUrl + path)).status;
  const lost = async () => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return Number(/^identity_log_lines_lost_total (\d+)/m.exec(text)?.[1]);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'full-log-'));
    const port = String(await freePort());
    baseUrl = `http://127.0.0.1:${port}`;
    const command = `ulimit -f ${FILE_KIB}; exec "$0" dist/main.js >> "$1" 2>&1`;
    service = spawn('bash', ['-c', command, process.execPath, join(folder, 'log')], {
      env: {
        PATH: process.env['PATH'],
        ...testEnvironment(),
        REDIS_URL: testRedisUrl(),
        PORT: port,
        BASE_URL: baseUrl,
        LOG_LEVEL: 'info',
      },
      stdio: 'ignore',
    });
    exited = once(service, 'exit');
    await eventually('it is up', async () => (await fetch(`${baseUrl}/health/live`)).ok, { within: 90_000 });
  });

  afterAll(async () => {
    service.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not stop the service, which counts lost lines, and is written again when there is space', async () => {
    for (let requests = 0; requests < 20; requests++) await request(LONG_PATH);
    await eventually('the file is full', () => log().length === FILE_KIB * 1_024);
    expect(await request('/health/live')).toBe(200);
    expect(await lost()).toBe(0);
    for (let requests = 0; requests < 40; requests++)
      await Promise.all(Array.from({ length: 16 }, () => request(LONG_PATH)));
    // What is left of the room takes short lines, until no line fits.
    const droppedLong = await lost();
    expect(droppedLong).toBeGreaterThan(0);
    await eventually('no line fits', async () => (await lost()) > droppedLong + 5, { every: 1 });
    truncateSync(join(folder, 'log'));
    await eventually('the log is written again without a new line', () => log().length > 0, { every: 10 });
    // More waits in memory than the file may hold. It is emptied only when it is full: then nothing can be written between
    // reading and emptying it, and no line is missed.
    let emptied = '';
    let told: string | undefined;
    await eventually(
      'the warning is written',
      async () => {
        await request('/health/live');
        if (log().length === FILE_KIB * 1_024) {
          emptied += log();
          truncateSync(join(folder, 'log'));
        }
        const written = emptied + log();
        return (told ??= /"msg":"(\d+) log lines were lost while the log could not be written"/.exec(written)?.[1]);
      },
      { within: 60_000, every: 10 },
    );
    expect(await lost()).toBe(Number(told));
  });

  it('does not change how the service stops', async () => {
    for (let requests = 0; requests < 20; requests++) await request(LONG_PATH);
    await eventually('the file is full again', () => log().length === FILE_KIB * 1_024);
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
