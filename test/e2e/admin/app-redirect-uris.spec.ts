import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestTenant, unique, World } from '../../support/world.js';

const REFUSED = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox',
  'file:///etc/passwd',
  'blob:https://a.example/1',
  'about:blank',
  'https://a.example/#fragment',
  'https://a.example/#',
  'https://user@a.example/',
  'https://user:pass@a.example/',
  'https://*.example.com/',
  'https://a.example/*',
  'http://a.example/callback',
  'http://127.0.0.1.evil.example/',
  'http://localhost.evil.example/',
  'http://10.0.0.1/',
  'myapp:/callback',
  'myapp://callback',
  '/callback',
  '//a.example/callback',
  'a.example/callback',
  '',
  'https://a.example/\\evil',
  'https://a.example/\ncallback',
  `https://a.example/${'x'.repeat(2048)}`,
];

const TAKEN = [
  'https://a.example/callback',
  'https://a.example/callback?tenant=1',
  'https://a.example:8443/',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:5173/callback',
  'http://[::1]:5173/callback',
  'http://localhost:3000/callback',
  'com.example.shop:/callback',
  'com.example.shop://callback',
  `https://a.example/${'x'.repeat(2048 - 'https://a.example/'.length)}`,
];

// security 43
describe('Registration of a redirect URI', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  it.each(['redirect_uris', 'post_logout_redirect_uris'])(
    'returns 422 for dangerous, leaking or loosely matching URIs in %s, on creation and update',
    async (list) => {
      const app = await world.app(tenant);
      for (const uri of REFUSED) {
        const config = { [list]: ['https://fine.example/', uri] };
        const fields = { name: 'A', tenant_id: tenant.id, bundle_id: `com.example.${unique()}`, config };
        const token = world.admin.token;
        for (const answer of [
          await world.call('POST', '/admin/apps', fields, { token }),
          await world.call('PUT', `/admin/apps/${app.id}`, { config }, { token }),
        ]) {
          expect([uri, answer.status]).toEqual([uri, 422]);
          const [fault] = answer.body['detail'] as { loc: unknown[]; msg: string }[];
          expect([uri, fault!.loc.slice(0, 3)]).toEqual([uri, ['body', 'config', list]]);
          if (uri.length > 20) expect(JSON.stringify(answer.body)).not.toContain(JSON.stringify(uri).slice(1, -1));
        }
      }
      const [row] = await world.sql<{ config: Record<string, unknown> }>('SELECT config FROM apps WHERE id = $1', [
        app.id,
      ]);
      expect(row!.config).toMatchObject({ redirect_uris: [app.redirectUri], post_logout_redirect_uris: [] });
    },
  );

  it('returns 422 for URIs of the service itself, where a redirect would look like a click on its own page', async () => {
    for (const path of ['/console/logout', '/auth/magic-link/verify?token=x', '/']) {
      const redirect_uris = [`${world.baseUrl}${path}`];
      const body = {
        name: 'Shop',
        tenant_id: tenant.id,
        bundle_id: `com.example.${unique()}`,
        config: { redirect_uris },
      };
      const answer = await world.call('POST', '/admin/apps', body, { token: world.admin.token });
      expect([path, answer.status]).toEqual([path, 422]);
    }
  });

  it('returns 422 for the same URIs in initiate_login_uri, and for those of apps on a device', async () => {
    const app = await world.app(tenant);
    for (const uri of [...REFUSED, 'com.example.shop:/callback', `${world.baseUrl}/console/`]) {
      const config = { initiate_login_uri: uri };
      const answer = await world.call('PUT', `/admin/apps/${app.id}`, { config }, { token: world.admin.token });
      expect([uri, answer.status]).toEqual([uri, 422]);
      const [fault] = answer.body['detail'] as { loc: unknown[] }[];
      expect([uri, fault!.loc]).toEqual([uri, ['body', 'config', 'initiate_login_uri']]);
    }
    for (const uri of [...TAKEN.filter((each) => each.startsWith('http')), null]) {
      const config = { initiate_login_uri: uri };
      const body = await world.asAdmin<{ config: typeof config }>('PUT', `/admin/apps/${app.id}`, { config });
      expect(body.config.initiate_login_uri).toBe(uri);
    }
  });

  it('accepts https, loopback and reverse-domain URIs without changing them', async () => {
    const app = await world.app(tenant);
    const body = await world.asAdmin<{ config: { redirect_uris: string[] } }>('PUT', `/admin/apps/${app.id}`, {
      config: { redirect_uris: TAKEN },
    });
    expect(body.config.redirect_uris).toEqual(TAKEN);
  });
});
