import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withStandInProviders } from '../../../src/embedded/dev/provider/stand-in-settings.js';
import { freePort } from '../../support/free-port.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { testSettings } from '../../support/test-settings.js';

describe('/dev pages in embedded mode', () => {
  let database: TestDatabase;
  let service: TestApp;
  let routes: [string, string][];

  beforeAll(async () => {
    database = await freshDatabase();
    const port = await freePort();
    const where = { host: '127.0.0.1', port, baseUrl: `http://localhost:${port}`, databaseUrl: database.url };
    const { providers } = withStandInProviders(testSettings({ ...where, embedded: true }));
    service = await startTestApp({ settings: { ...where, providers, embedded: true, trustProxy: 1 } });
    routes = routesOf(service.nest)
      .map((route) => route.split(' ') as [string, string])
      .filter(([, path]) => /^\/dev(?:\/|$)/.test(path));
  });

  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const ask = (method: string, path: string, host: string, from = '127.0.0.1') => {
    const agent = service.browser();
    const address = path.replaceAll('*', 'google');
    const request = method === 'POST' ? agent.post(address) : agent.get(address);
    return request.set('Host', host).set('X-Forwarded-For', from);
  };

  it('include more than 12 routes', () => {
    expect(routes.length).toBeGreaterThan(12);
  });

  it('return 200 for the host of BASE_URL and for the address that the service listens on', async () => {
    for (const host of [new URL(service.settings.baseUrl).host, `127.0.0.1:${service.settings.port}`])
      expect([host, (await ask('GET', '/dev/mailbox', host)).status]).toEqual([host, 200]);
  });

  it('return 421 for any other Host header on every route', async () => {
    for (const [method, path] of routes) {
      const answer = await ask(method, path, `rebound.example:${service.settings.port}`);
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        421,
        { detail: 'Misdirected Request' },
      ]);
    }
  });

  it('return 403 for requests from another machine on every route', async () => {
    for (const [method, path] of routes) {
      const answer = await ask(method, path, new URL(service.settings.baseUrl).host, '203.0.113.9');
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(answer.body).toEqual({
        detail: 'Development pages accept requests from this machine only. Open them at BASE_URL',
      });
    }
  });
});
