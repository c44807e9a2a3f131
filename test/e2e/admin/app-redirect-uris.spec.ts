import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
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

  it('returns 422 for links of the sign-in page to the service itself, where a click would look like one on its own link', async () => {
    const baseUrl = 'https://id.example';
    const secure = await startTestApp({ settings: { baseUrl, rateLimits: { enabled: false, overrides: {} } } });
    const its = await World.open(secure.baseUrl, secure.settings.databaseUrl!);
    try {
      const app = await its.app(await its.tenant());
      for (const field of ['tos_uri', 'policy_uri', 'support_uri']) {
        for (const path of ['/auth/magic-link/verify?token=x', '/oauth/github/start?link=1', '/console/logout', '']) {
          const config = { branding: { [field]: `${baseUrl}${path}` } };
          const answer = await its.call('PUT', `/admin/apps/${app.id}`, { config }, { token: its.admin.token });
          const loc = ['body', 'config', 'branding', field];
          const fault = { loc, msg: 'URI must not be an address of this service', type: 'value_error' };
          expect([path, answer.status, answer.body['detail']]).toEqual([path, 422, [fault]]);
        }
      }
    } finally {
      await its.close();
      await secure.close();
    }
  });

  it('does not show links to the service that were stored before they were refused', async () => {
    const app = await world.app(tenant);
    const user = await world.user(app);
    const [ours, own] = [`${world.baseUrl}/console/logout`, 'https://app.example.com/terms'];
    await world.sql(
      `UPDATE apps SET config = config || jsonb_build_object('initiate_login_uri', $2::text),
         branding = branding || jsonb_build_object('support_uri', $2::text, 'policy_uri', $2::text, 'tos_uri', $3::text)
       WHERE id = $1`,
      [app.id, ours, own],
    );
    const browser = new HostedBrowser(world.baseUrl);
    const { body } = await browser.get(loginPath(app));
    expect(body.match(/<p class="stage-foot">.*<\/p>/)?.[0].match(/href="[^"]*"/g)).toEqual([`href="${own}"`]);
    await browser.signIn(loginPath(app), user.email, user.password);
    const account = (await browser.get('/account')).body;
    expect([account.includes('Open <') || account.includes('Open<'), account.includes('/console/logout')]).toEqual([
      true,
      false,
    ]);
  });

  it('accepts https, loopback and reverse-domain URIs without changing them', async () => {
    const app = await world.app(tenant);
    const body = await world.asAdmin<{ config: { redirect_uris: string[] } }>('PUT', `/admin/apps/${app.id}`, {
      config: { redirect_uris: TAKEN },
    });
    expect(body.config.redirect_uris).toEqual(TAKEN);
  });
});
