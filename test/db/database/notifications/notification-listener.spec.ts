import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';
import { testSettings } from '../../../support/test-settings.js';
import { eventually } from '../../../support/wait.js';

describe('NotificationListener', () => {
  let database: TestDatabase;
  let db: pg.Client;
  let listener: NotificationListener;

  const notify = (channel: string, payload: string) => db.query('SELECT pg_notify($1, $2)', [channel, payload]);
  const cut = () =>
    db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'identity-broker listener'`);

  beforeEach(async () => {
    Logger.overrideLogger(false);
    database = await freshDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    listener = new NotificationListener(testSettings({ databaseUrl: database.url }));
  });

  afterEach(async () => {
    await listener.onApplicationShutdown();
    await db.end();
    await database.drop();
  });

  it('opens no connection before a handler is registered', async () => {
    await sleep(200);
    const { rows } = await db.query(`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'identity-broker listener'`);
    expect(rows).toEqual([]);
    expect(listener.connected).toBe(false);
  });

  it('delivers notifications of its channels in order to all handlers', async () => {
    const heard: string[] = [];
    listener.on('cache', (payload) => heard.push(`1:${payload}`));
    listener.on('cache', (payload) => heard.push(`2:${payload}`));
    await eventually('it listens', () => listener.connected);
    listener.on('Odd "name"', (payload) => heard.push(`3:${payload}`));
    await eventually('it listens to both', () => listener.connected);
    await notify('cache', 'a');
    await notify('other', 'b');
    await notify('Odd "name"', 'c');
    await eventually('all were heard', () => heard.length === 3);
    expect(heard).toEqual(['1:a', '2:a', '3:c']);
  });

  it('reconnects after its connection was cut, and calls onReconnect before it counts as connected', async () => {
    const heard: string[] = [];
    const connectedAtReconnect: boolean[] = [];
    listener.on('cache', (payload) => heard.push(payload));
    listener.onReconnect(() => connectedAtReconnect.push(listener.connected));
    await eventually('it listens', () => listener.connected);
    await cut();
    await eventually('it noticed', () => !listener.connected);
    await eventually('it is back', () => listener.connected);
    await notify('cache', 'again');
    await eventually('it hears', () => heard.includes('again'));
    expect(connectedAtReconnect).toEqual([false, false]);
  });

  it('notices within seconds that the server no longer answers', async () => {
    const proxy = await StallingProxy.start(new URL(database.url));
    const behind = new NotificationListener(testSettings({ databaseUrl: proxy.url }));
    behind.on('cache', () => undefined);
    await eventually('it listens', () => behind.connected);
    proxy.stall();
    await eventually('it noticed', () => !behind.connected);
    proxy.resume();
    await eventually('it is back', () => behind.connected);
    await behind.onApplicationShutdown();
    await proxy.stop();
  });

  it('keeps working after a handler throws', async () => {
    const heard: string[] = [];
    listener.on('cache', () => {
      throw new Error('no');
    });
    listener.on('cache', (payload) => heard.push(payload));
    await eventually('it listens', () => listener.connected);
    await notify('cache', 'x');
    await eventually('the other heard', () => heard.length === 1);
    expect(listener.connected).toBe(true);
  });
});

/** Forwards bytes until `stall()`, then drops them, as a half-open connection does. */
class StallingProxy {
  readonly url: string;
  private stalled = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    target: URL,
  ) {
    const { port } = server.address() as AddressInfo;
    this.url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href;
    server.on('connection', (near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(from);
        from.on('data', (chunk) => this.stalled || to.write(chunk));
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
      }
    });
  }

  static async start(target: URL): Promise<StallingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new StallingProxy(server, target);
  }

  stall(): void {
    this.stalled = true;
  }

  resume(): void {
    this.stalled = false;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
