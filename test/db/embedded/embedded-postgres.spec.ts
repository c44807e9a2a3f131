import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../../src/embedded/embedded-postgres.js';
import { isAlive } from '../../../src/embedded/process-identity.js';
import { makeDataFolder } from '../../support/servers/memory-folder.js';
import { eventually } from '../../support/wait.js';

/** A service that only starts its database, prints the database's URL and waits for its kill. */
const SERVICE = `
  const { EmbeddedPostgres } = await import('./dist/embedded/embedded-postgres.js');
  const server = await EmbeddedPostgres.start({ dataDir: process.argv[1], disposable: true, log: () => {} });
  console.log(server.url);
  setInterval(() => {}, 60_000);`;

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}

describe('Embedded PostgreSQL', () => {
  let dataDir: string;
  const lines: string[] = [];
  const start = (): Promise<EmbeddedPostgres> =>
    EmbeddedPostgres.start({ dataDir, disposable: true, log: (line) => lines.push(line) });
  const postmaster = (): number => Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);

  beforeEach(() => {
    lines.length = 0;
    dataDir = makeDataFolder('embedded-');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('keeps its data after a restart, and ends on stop', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = postmaster();
    await first.stop();
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('listens on the loopback interface only, uses UTF-8 and requires its password', async () => {
    const server = await start();
    try {
      const [row] = await query(
        server.url,
        "SELECT current_setting('listen_addresses') a, current_setting('unix_socket_directories') s, " +
          "current_setting('server_encoding') e, lower('ÄÉ') l",
      );
      expect(row).toEqual({ a: '127.0.0.1', s: '', e: 'UTF8', l: 'äé' });
      const guessed = Object.assign(new URL(server.url), { password: 'guessed' }).href;
      await expect(query(guessed, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    } finally {
      await server.stop();
    }
  });

  describe('with a killed service', () => {
    let service: ChildProcess;
    beforeEach(async () => {
      service = spawn(process.execPath, ['--input-type=module', '-e', SERVICE, '--', dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [url] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string];
      await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    });

    it('ends by itself soon after', async () => {
      const pid = postmaster();
      service.kill('SIGKILL');
      await eventually('the orphaned server ends', () => !isAlive(pid));
      expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    });

    it('is replaced at once by the next start', async () => {
      const orphan = postmaster();
      service.kill('SIGKILL');
      const next = await start();
      expect(isAlive(orphan)).toBe(false);
      expect(postmaster()).not.toBe(orphan);
      expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      await next.stop();
    });
  });

  it('starts if the process id in a stale postmaster.pid belongs to another process', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), `${process.pid}\n${join(dataDir, 'postgres')}\n`);
    const server = await start();
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
  });
});
