import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditChainsRepository } from '../../../src/audit/chain/audit-chains.repository.js';
import { contentToken, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestTenant, World } from '../../support/world.js';

const PATH = '/console/audit/check';

describe('Console: verification of the audit log', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let chains: Pick<AuditChainsRepository, 'walk'>;
  let walk: AuditChainsRepository['walk'];
  let busy: TestTenant;
  let other: TestTenant;
  /** Batches of the busy tenant's log that were begun. They wait until they are let go. */
  let begun = 0;
  let letGo: () => void;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    chains = service.nest.get(AuditChainsRepository, { strict: false });
    walk = chains.walk.bind(chains);
    [busy, other] = [await world.tenant(), await world.tenant()];
    for (const tenant of [busy, other]) await world.app(tenant);
  });

  /** So that the periodic job adds no batch to a verification. */
  const seal = () => sealAll(service);

  beforeEach(async () => {
    await seal();
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    begun = 0;
    chains.walk = async (chain, ...rest) => {
      if (chain !== busy.id) return walk(chain, ...rest);
      begun++;
      await gate;
      return walk(chain, ...rest);
    };
  });

  afterEach(() => letGo());

  afterAll(async () => {
    await world?.close();
    await service?.close();
    await database.drop();
  });

  const adminOf = async (tenant: TestTenant) => visitConsole(world, await world.tenantAdmin(tenant));
  const check = async (browser: HostedBrowser, tenant: TestTenant) =>
    (await sendConsoleForm(browser, `/console/audit?tenant_id=${tenant.id}`, PATH, { tenant_id: tenant.id })).status;

  it('of one tenant runs once at a time, and keeps neither other tenants nor platform admins waiting', async () => {
    const [first, second, third] = [await adminOf(busy), await adminOf(busy), await adminOf(other)];
    const root = await visitConsole(world, world.admin);
    const checked = check(first, busy);
    await eventually('the first is under way', () => begun === 1);
    expect(await check(second, busy)).toBe(503);
    expect(await check(third, other)).toBe(303);
    expect(await check(root, other)).toBe(303);
    letGo();
    expect(await checked).toBe(303);
    expect(await check(second, busy)).toBe(303);
  });

  it('ends when its client has gone', async () => {
    const browser = await adminOf(busy);
    const page = await browser.get('/console/audit');
    await seal();
    const form = new URLSearchParams({ form_token: contentToken(page), tenant_id: busy.id }).toString();
    const headers = {
      Accept: 'text/html',
      Cookie: browser.cookieHeader(),
      'Content-Type': 'application/x-www-form-urlencoded',
      'Sec-Fetch-Site': 'same-origin',
      Origin: 'null',
    };
    const closed: boolean[] = [];
    service.nest.getHttpServer().once('request', (_asked: unknown, response: NodeJS.EventEmitter) => {
      response.once('close', () => closed.push(true));
    });
    const client = request(`${service.baseUrl}${PATH}`, { method: 'POST', headers, agent: false });
    client.on('error', () => undefined).end(form);
    await eventually('the verification is under way', () => begun === 1);
    client.destroy();
    await eventually('the service knows', () => closed.length === 1);
    letGo();
    await eventually('its turn is free', async () => (await check(browser, busy)) === 303);
    // One batch of the first, and two of the second: the entries, and the end.
    expect(begun).toBe(3);
  });
});
