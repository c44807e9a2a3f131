import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestTenant, World } from '../../support/world.js';

const APPS = 300;

/** The process keeps what a slow reader has not read yet. */
describe('A long list of apps', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  const readers: Socket[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    await fill(tenant);
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.destroy();
  });
  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  async function fill(of: TestTenant): Promise<void> {
    const { id } = await world.app(of);
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding, logo_data, favicon_data)
       SELECT gen_random_uuid(), tenant_id, 'App ' || number, 'com.example.' || id || number, '', '{}', config, branding,
         'data:image/png;base64,' || repeat('A', 100000), 'data:image/png;base64,' || repeat('B', 100000)
       FROM apps, generate_series(1, ${APPS}) AS number WHERE id = $1`,
      [id],
    );
  }

  const adminOf = async (of: TestTenant) => {
    const user = await world.tenantAdmin(of);
    return { ...user, token: (await world.tokens(user, of.consoleAppId)).access_token };
  };
  const list = (token: string) => world.call<unknown[]>('GET', '/admin/apps', undefined, { token });

  /** Reads the first bytes of the list, and then nothing. */
  async function readSlowly(token: string): Promise<Socket> {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    readers.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET /admin/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  }

  async function restOf(socket: Socket): Promise<string> {
    let end = '';
    socket.on('data', (chunk: Buffer) => (end = (end + chunk.toString('latin1')).slice(-20)));
    socket.resume();
    await once(socket, 'close');
    return end;
  }

  it('is complete for a slow reader', async () => {
    const { token } = await adminOf(tenant);
    expect(await restOf(await readSlowly(token))).toMatch(/\]\r\n0\r\n\r\n$/);
  });

  it('ends when its reader loses the authority with which it began', async () => {
    const admin = await adminOf(tenant);
    const reader = await readSlowly(admin.token);
    await world.asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${admin.id}`);
    expect(await restOf(reader)).not.toMatch(/\]\r\n0\r\n\r\n$/);
  });

  it('keeps a third one of the same reader waiting, and none of others', async () => {
    const [{ token }, other] = [await adminOf(tenant), await adminOf(tenant)];
    const slow = [await readSlowly(token), await readSlowly(token)];
    expect((await list(other.token)).body).toHaveLength(APPS + 2);
    expect((await list(world.admin.token)).status).toBe(200);
    const third = list(token);
    slow[0]!.destroy();
    expect((await third).status).toBe(200);
    await readSlowly(token);
    const refused = await list(token);
    expect([refused.status, refused.body]).toEqual([503, { detail: 'Too many lists are in progress' }]);
    expect(refused.headers.get('Retry-After')).toBe('10');
    const short = await world.call('GET', '/admin/apps?limit=10', undefined, { token });
    expect(short.status).toBe(200);
  });

  it('has four readers of a tenant, and leaves places to other tenants', async () => {
    const other = await world.tenant();
    await fill(other);
    const tokens = [await adminOf(tenant), await adminOf(tenant), await adminOf(tenant)].map(({ token }) => token);
    for (const token of [tokens[0]!, tokens[0]!, tokens[1]!, tokens[1]!]) await readSlowly(token);
    const waiting = list(tokens[2]!);
    expect((await list((await adminOf(other)).token)).status).toBe(200);
    readers[3]!.destroy();
    expect((await waiting).status).toBe(200);
  });

  it('has at most three readers of the servers of a tenant, so that its admins have a place', async () => {
    const servers: string[] = [];
    for (let n = 0; n < 2; n++)
      servers.push(await world.serviceToken(await world.app(tenant, { service_scopes: ['apps:read'] }), 'apps:read'));
    for (const token of [servers[0]!, servers[0]!, servers[1]!]) await readSlowly(token);
    const fourth = list(servers[1]!);
    expect((await list((await adminOf(tenant)).token)).status).toBe(200);
    expect((await fourth).status).toBe(503);
    readers[0]!.destroy();
    await eventually('a place is free', async () => (await list(servers[1]!)).status === 200);
  });

  it('is closed if its reader reads nothing any more', async () => {
    const server = service.nest.getHttpServer() as Server;
    const { token } = await adminOf(tenant);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const reader = await readSlowly(token);
    const [connection] = await accepted;
    await eventually('its time is limited', () => connection.timeout === 60_000);
    // As Node does when nothing was sent for this time.
    connection.emit('timeout');
    expect(connection.destroyed).toBe(true);
    expect(await restOf(reader)).not.toMatch(/\]\r\n0\r\n\r\n$/);
  });
});
