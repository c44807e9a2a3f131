import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ImpatientClient } from '../../../../src/database/connection/impatient-client.js';
import { EmbeddedPostgres } from '../../../../src/embedded/embedded-postgres.js';
import { postgresHome } from '../../../../src/embedded/postgres-home.js';
import { activeMs } from '../../../support/active-time.js';
import { sharedDatabaseUrl } from '../../../support/test-database.js';

describe('ImpatientClient', () => {
  let proxy: Server;
  let sockets: Socket[];
  let client: ImpatientClient;

  /** A proxy before the test database that can be blocked: it accepts data and sends nothing back. */
  beforeEach(async () => {
    const target = new URL(sharedDatabaseUrl());
    sockets = [];
    proxy = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = Object.assign(new URL(target), { port: (proxy.address() as AddressInfo).port });
    client = new ImpatientClient({ connectionString: through.href });
    await client.connect();
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await client.end();
    proxy.close();
  });

  it('keeps an idle connection, and closes a connection after five seconds without an answer to a query', async () => {
    await sleep(5_200);
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    for (const socket of sockets) socket.unpipe().pause();
    const took = await activeMs(() => expect(client.query('SELECT 1')).rejects.toThrow('Query read timeout'));
    expect(took).toBeLessThan(6_500);
    await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable|terminated/);
  });

  it('waits longer for a statement that may take longer, until its transaction ends', async () => {
    await client.query('BEGIN');
    client.waitLonger(60_000);
    expect((await client.query('SELECT 1 AS one FROM pg_sleep(5.5)')).rows).toEqual([{ one: 1 }]);
    await client.query('COMMIT');
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('Query read timeout');
  });

  it('closes a connection after a write that failed because the server is read-only', async () => {
    await client.query('BEGIN READ ONLY');
    await expect(client.query('DELETE FROM outbox_messages')).rejects.toMatchObject({ code: '25006' });
    await expect(client.query('ROLLBACK')).rejects.toThrow(/not queryable|terminated/);
  });

  // F3: the pool and TypeORM have no listener for errors in the moment in which a connection is handed out.
  it('fails the next query, and does not end the process, when it is cut while nothing listens for errors', async () => {
    const ended = new Promise((resolve) => client.once('end', resolve));
    for (const socket of sockets) socket.destroy();
    await ended;
    expect(client.listenerCount('error')).toBe(1);
    expect(() => client.emit('error', new Error('cut'))).not.toThrow();
    await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable|closed/);
  });
});

describe('ImpatientClient before a standby', () => {
  it('refuses it, and connects to it once it has been promoted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broker-standby-'));
    chmodSync(folder, 0o711); // the server's account must be able to enter
    const start = () => EmbeddedPostgres.start({ dataDir: folder, log: () => undefined, disposable: true });
    await (await start()).stop();
    const signal = join((await postgresHome(folder)).data, 'standby.signal');
    writeFileSync(signal, '');
    chmodSync(signal, 0o666);
    const standby = await start();
    const plain = new pg.Client({ connectionString: standby.url });
    try {
      await plain.connect();
      expect((await plain.query('SELECT pg_is_in_recovery() AS yes')).rows).toEqual([{ yes: true }]);
      const refused = new ImpatientClient({ connectionString: standby.url });
      await expect(refused.connect()).rejects.toMatchObject({ code: '25006' });
      expect((await plain.query('SELECT pg_promote() AS done')).rows).toEqual([{ done: true }]);
      const promoted = new ImpatientClient({ connectionString: standby.url });
      await promoted.connect();
      await promoted.query('CREATE TEMPORARY TABLE written ()');
      await promoted.end();
    } finally {
      await plain.end();
      await standby.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
