import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { LogoCopies1763700002800 } from '../../../src/database/migrations/1763700002800-logo-copies.js';
import { Transactions } from '../../../src/database/transactions.js';
import { Outbox } from '../../../src/delivery/outbox/outbox.service.js';
import { Network } from '../../../src/outbound/network.js';
import { FakeNetwork, PUBLIC_ADDRESS } from '../../support/fake-network.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { decodeLogo, plainImage, svg } from '../../support/images.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const HOST = 'cdn.receiver.example';
const MIB = 1024 * 1024;

interface AppBody {
  id: string;
  config: { branding: Record<string, unknown> };
}

// security 95, 96, 97
describe('Logo from a logo_url', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let host: WebhookReceiver;
  let network: FakeNetwork;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    [database, host] = await Promise.all([freshDatabase(), WebhookReceiver.startSecure()]);
    network = await FakeNetwork.open(host.port);
    network.set(HOST, [PUBLIC_ADDRESS]);
    service = await startTestApp({
      settings: { databaseUrl: database.url, allowPrivateNetworkTargets: false },
      override: (builder) => builder.overrideProvider(Network).useValue(network),
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await host.close();
    network.close();
    await database.drop();
  });

  /** @returns a URL that gives this answer */
  const standing = (answer: Buffer | number | ((response: ServerResponse) => void)): string => {
    const path = `/${unique()}`;
    host.on(path, Buffer.isBuffer(answer) ? (response) => response.writeHead(200).end(answer) : answer);
    return `https://${HOST}${path}`;
  };
  const picture = async (side: number) => standing(await plainImage('png', { width: side, height: side }));
  const asks = (address: string) => host.to(new URL(address).pathname).length;
  const save = (app: { id: string }, branding: object) =>
    world.asAdmin<AppBody>('PUT', `/admin/apps/${app.id}`, { config: { branding } });
  const shown = async (app: TestClient) => {
    const page = await new HostedBrowser(world.baseUrl).get(loginPath(app));
    return { page, logo: /class="brand-logo" src="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&#x3D;', '=') ?? null };
  };
  const sideOf = async (logo: string | null) => logo && (await decodeLogo(logo)).width;
  const copied = (app: TestClient) => eventually('the copy is there', async () => (await shown(app)).logo);
  const changes = (app: TestClient) =>
    world.sql("SELECT metadata FROM audit_entries WHERE app_id = $1 AND action = 'app.logo_changed'", [app.id]);

  it('is fetched once after saving, and shown to visitors as a copy within the page', async () => {
    const app = await world.app(tenant);
    const address = await picture(300);
    const saved = await save(app, { logo_url: address });
    expect(saved.config.branding).toMatchObject({ logo_url: address, logo_data: null });
    expect(await sideOf(await copied(app))).toBe(256);
    const { page } = await shown(app);
    expect(page.body).not.toContain(HOST);
    expect(page.headers.get('content-security-policy')).toContain("; img-src 'self' data:;");
    expect(asks(address)).toBe(1);
    const read = await world.asAdmin<AppBody>('PUT', `/admin/apps/${app.id}`, {});
    expect(read.config.branding).toEqual(saved.config.branding);
    expect(await changes(app)).toEqual([{ metadata: { logo: 'copied' } }]);
  });

  it('is fetched for a new app, and an SVG is drawn as a PNG', async () => {
    const address = standing(svg('<circle cx="12" cy="12" r="12" fill="#f00"/>', { root: 'width="24" height="24"' }));
    const app = await world.app(tenant, { config: { branding: { logo_url: address } } });
    expect(await sideOf(await copied(app))).toBe(256);
  });

  it('is fetched again when its URL is saved again, and not with other changes', async () => {
    const app = await world.app(tenant);
    const address = await picture(10);
    await save(app, { logo_url: address });
    expect(await sideOf(await copied(app))).toBe(10);
    const second = await plainImage('png', { width: 20, height: 20 });
    host.on(new URL(address).pathname, (response) => response.writeHead(200).end(second));
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { name: `Renamed ${unique()}` });
    await save(app, { logo_height: 50 });
    await quietOutbox(world);
    expect([asks(address), await sideOf((await shown(app)).logo)]).toEqual([1, 10]);
    await save(app, { logo_url: address });
    await eventually('the new picture is shown', async () => (await sideOf((await shown(app)).logo)) === 20);
  });

  it('is cleared by a new URL, and a late response for the old URL is ignored', async () => {
    const app = await world.app(tenant);
    const first = await picture(10);
    await save(app, { logo_url: first });
    await copied(app);
    const late: ServerResponse[] = [];
    const slow = standing((response) => void late.push(response));
    await save(app, { logo_url: slow });
    expect((await shown(app)).logo).toBeNull();
    await host.count(new URL(slow).pathname, 1);
    await save(app, { logo_url: null });
    late[0]!.writeHead(200).end(await plainImage('png', { width: 30, height: 30 }));
    await quietOutbox(world);
    expect((await shown(app)).logo).toBeNull();
    expect(await changes(app)).toHaveLength(1);
  });

  it('is hidden by an uploaded logo', async () => {
    const uploaded = await plainImage('png', { width: 40, height: 40 });
    const app = await world.app(tenant);
    await save(app, { logo_url: await picture(10) });
    await copied(app);
    await save(app, { logo_data: `data:image/png;base64,${uploaded.toString('base64')}` });
    expect(await sideOf((await shown(app)).logo)).toBe(40);
  });

  it.each<[string, () => Buffer | number | ((response: ServerResponse) => void)]>([
    ['is missing', () => 404],
    ['is behind a redirect', () => (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['is an HTML page', () => Buffer.from('<!doctype html><title>Logo</title>')],
    ['is longer than 2 MB', () => Buffer.alloc(2 * MIB + 1, 'x')],
    ['is a program', () => Buffer.from('MZ\u0090\u0000')],
  ])('is replaced by the app’s name if the image %s, without a failed job', async (_, answer) => {
    const app = await world.app(tenant);
    const address = standing(answer());
    await save(app, { logo_url: address });
    await host.count(new URL(address).pathname, 1);
    await quietOutbox(world);
    expect([(await shown(app)).logo, asks(address), host.to('/elsewhere')]).toEqual([null, 1, []]);
    expect(await world.sql('SELECT id FROM outbox_messages WHERE dead_at IS NOT NULL')).toEqual([]);
    expect(await changes(app)).toEqual([]);
  });

  it('is not fetched from a host name with a private address', async () => {
    const before = network.dialled.length;
    for (const [index, address] of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1'].entries()) {
      const name = `inner${index}.receiver.example`;
      network.set(name, [address]);
      const app = await world.app(tenant);
      await save(app, { logo_url: `https://${name}/logo.png` });
      await quietOutbox(world);
      expect([network.asked.includes(name), (await shown(app)).logo]).toEqual([true, null]);
    }
    expect([network.dialled.length - before, network.contacts]).toEqual([0, 0]);
  });

  it('is fetched again later if the host returns 500', async () => {
    const app = await world.app(tenant);
    const address = standing(500);
    await save(app, { logo_url: address });
    const job = await eventually('the first attempt has failed', async () => {
      const open = "SELECT * FROM outbox_messages WHERE payload ->> 'appId' = $1 AND last_error IS NOT NULL";
      return (await world.sql<{ attempts: number; last_error: string; done_at: null }>(open, [app.id]))[0];
    });
    expect(job).toMatchObject({ attempts: 1, last_error: expect.stringContaining('Status 500'), done_at: null });
    // Saving does not wait for the copy, and a visit to the page does not fetch it.
    const asked = asks(address);
    for (let visit = 0; visit < 3; visit++) expect((await shown(app)).logo).toBeNull();
    expect(asks(address)).toBe(asked);
    await save(app, { logo_url: null });
  });

  it('is ordered once for an app while an order waits, and delays no other work', async () => {
    const open: ServerResponse[] = [];
    const address = standing((response) => void open.push(response));
    const app = await world.app(tenant);
    const config = { branding: { logo_url: address } };
    const save = async () => world.asAdmin('PUT', `/admin/apps/${app.id}`, { config });
    await save();
    await eventually('the server is asked', () => open.length === 1);
    for (let n = 0; n < 4; n++) await save();
    const orders = await world.sql(
      "SELECT queue, group_key FROM outbox_messages WHERE job = 'apps.copy_logo' AND payload ->> 'appId' = $1",
      [app.id],
    );
    expect(orders).toEqual(Array(2).fill({ queue: 'logos', group_key: tenant.id }));
    const other = await world.tenant();
    const there = await picture(12);
    const its = await world.app(other, { config: { branding: { logo_url: there } } });
    await eventually('the logo of another tenant is copied', async () => {
      const [row] = await world.sql<{ logo_copy: string | null }>('SELECT logo_copy FROM apps WHERE id = $1', [its.id]);
      return row?.logo_copy;
    });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { branding: { logo_url: null } } });
    for (const response of open) response.destroy();
  });

  it('is fetched by an order that runs while the app changes back to its address', async () => {
    const app = await world.app(tenant);
    const address = await picture(14);
    const [sql, values] = [
      `UPDATE apps SET branding = branding || jsonb_build_object('logo_url', $2::text) WHERE id = $1`,
      [app.id, address],
    ];
    const commit = await holdRows(database.url, sql, values);
    try {
      const options = { group: tenant.id, maxAttempts: 5 };
      await service.nest
        .get(Transactions, { strict: false })
        .run((tx) =>
          service.nest
            .get(Outbox, { strict: false })
            .add(tx, 'logos', 'apps.copy_logo', { appId: app.id, address }, options),
        );
      await waitersForLocks(world, 1);
    } finally {
      await commit();
    }
    await eventually('the logo is copied', async () => {
      const [row] = await world.sql<{ logo_copy: string | null }>('SELECT logo_copy FROM apps WHERE id = $1', [app.id]);
      return row?.logo_copy;
    });
  });

  it('is fetched by the migration for every app with an existing URL', async () => {
    const [had, hadNot] = [await world.app(tenant), await world.app(tenant)];
    const migration = new LogoCopies1763700002800();
    const runner = { query: (text: string) => world.sql(text) } as unknown as QueryRunner;
    const address = await picture(10);
    await migration.down(runner);
    await world.sql(`UPDATE apps SET branding = branding || jsonb_build_object('logo_url', $2::text) WHERE id = $1`, [
      had.id,
      address,
    ]);
    await migration.up(runner);
    const ordered = await world.sql<{ payload: object }>(
      "SELECT payload FROM outbox_messages WHERE job = 'apps.copy_logo' AND payload ->> 'appId' = ANY($1)",
      [[had.id, hadNot.id]],
    );
    expect(ordered).toEqual([{ payload: { appId: had.id, address } }]);
  });
});
