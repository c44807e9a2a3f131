import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newInvite } from '../../support/invites.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

/** Public documents, the same for every caller. */
const FOR_EVERYBODY = /^(?:GET|HEAD) \/(?:assets\/|docs\/assets\/|\.well-known\/)/;

/** But for the chain of the audit log. */
const NEVER_SHOWN = /\$2[aby]\$|"(?!prev_hash)\w*(?:_hash|Hash)"|"sealed|PRIVATE KEY/;

describe('Cache-Control header', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const routes = () => routesOf(service.nest).filter((route) => !FOR_EVERYBODY.test(route));
  const send = (route: string, token?: string) => {
    const [method, path] = route.split(' ') as [string, string];
    const address = path.replaceAll('*', app.id);
    return world.call(method, address, undefined, token ? { token } : {});
  };

  it('is no-store for every route except public documents, with and without a token', async () => {
    const all = routes();
    expect(all.length).toBeGreaterThan(150);
    for (const route of all) {
      const answers = [await send(route), ...(route.startsWith('GET') ? [await send(route, world.admin.token)] : [])];
      for (const { headers } of answers) expect([route, headers.get('cache-control')]).toEqual([route, 'no-store']);
    }
  });

  // security 79
  it('comes with no hash, no sealed value and no private key in any JSON answer to a platform admin', async () => {
    const documents = routes().filter((route) => route.startsWith('GET') && !/^GET \/(?:docs|openapi)/.test(route));
    let read = 0;
    for (const route of documents) {
      const { status, body } = await send(route, world.admin.token);
      if (status !== 200 || typeof body !== 'object') continue;
      read++;
      expect([route, NEVER_SHOWN.exec(JSON.stringify(body))?.[0]]).toEqual([route, undefined]);
    }
    expect(read).toBeGreaterThan(10);
    expect('"password_hash":"$2b$12$"').toMatch(NEVER_SHOWN);
  });

  it('is no-store for answers with secrets', async () => {
    await newInvite(world, app);
    const token = world.admin.token;
    const answers = [
      await world.call('GET', `/admin/apps/${app.id}/invites`, undefined, { token }),
      await world.call('GET', '/admin/apps', undefined, { token }),
    ];
    for (const answer of answers)
      expect([answer.status < 300, answer.headers.get('cache-control')]).toEqual([true, 'no-store']);
  });

  it('allows caching of public documents', async () => {
    for (const path of ['/.well-known/jwks.json', '/.well-known/openid-configuration']) {
      const { headers } = await world.call('GET', path);
      expect([path, headers.get('cache-control')]).toEqual([path, expect.stringContaining('max-age=')]);
    }
  });
});
