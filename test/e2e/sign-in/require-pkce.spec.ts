import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('PKCE', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let strict: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    strict = await world.app(tenant, { config: { require_pkce: true } });
    user = await world.user(strict);
  });

  afterAll(() => world.close());

  const exchange = (app: TestClient, code: string | null, more: object = {}) =>
    world.call('POST', '/token/exchange', { code, app_id: app.id, redirect_uri: app.redirectUri, ...more });

  describe('required by an app', () => {
    it.each<Record<string, string>>([{}, { prompt: 'none' }])(
      'rejects a request to /login without a challenge: %j',
      async (more) => {
        const answer = await new HostedBrowser(service.baseUrl).get(loginPath(strict, { state: 'kept', ...more }));
        expect([answer.status, Object.fromEntries(answer.delivered)]).toEqual([
          302,
          { error: 'invalid_request', error_description: 'code_challenge is missing', state: 'kept' },
        ]);
      },
    );

    it('allows sign-in links only for a request with a challenge', async () => {
      const member = await world.user(strict);
      for (const [{ email }, more] of [[user, {}] as const, [member, PKCE] as const]) {
        const asked = await world.call('POST', '/auth/magic-link/request', { email, app_id: strict.id, ...more });
        expect([asked.status, asked.body]).toEqual([200, { status: 'sent' }]);
      }
      const links = ({ id }: TestUser) => world.sql('SELECT 1 AS found FROM mail_links WHERE user_id = $1', [id]);
      // What was promised earlier has left earlier.
      await eventually('a link', async () => (await links(member))[0]);
      expect(await links(user)).toEqual([]);
    });

    it('issues a code only for a challenge, and tokens only for its verifier', async () => {
      const tokens = await exchange(strict, await newCode(world, strict, user, PKCE), { code_verifier: VERIFIER });
      expect(tokens.status).toBe(200);
      expect((await exchange(strict, await newCode(world, strict, user, PKCE))).status).toBe(400);
    });

    it('rejects a code from before it was required', async () => {
      const app = await world.app(tenant);
      const member = await world.user(app);
      const code = await newCode(world, app, member);
      await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_pkce: true } });
      expect((await exchange(app, code)).status).toBe(400);
      expect(await world.sql('SELECT 1 FROM refresh_families WHERE user_id = $1', [member.id])).toEqual([]);
    });

    it('issues no code for a sign-in that started before it was required, or by an invite', async () => {
      const app = await world.app(tenant);
      const member = await world.user(app);
      const begun = new HostedBrowser(service.baseUrl);
      const page = await begun.get(loginPath(app));
      await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_pkce: true } });
      const end = await begun.submit(page, { email: member.email, password: member.password });
      expect(Object.fromEntries(end.delivered)).toEqual({ error: 'login_required' });
      const invited = new HostedBrowser(service.baseUrl);
      invited.setCookie('sso', begun.cookie('sso')!);
      const { code } = await newInvite(world, app);
      const invitation = await invited.get(`/invite?code=${code}`);
      const joining = await invited.submit(invitation, { code });
      const done = await invited.submit(joining, { code });
      expect(Object.fromEntries(done.delivered)).toEqual({ error: 'login_required', iss: world.baseUrl });
      expect(await world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [member.id])).toEqual([]);
      // The app begins its own sign-in, which asks for nothing.
      expect((await invited.get(loginPath(app, PKCE))).delivered.get('code')).toBeTruthy();
    });
  });

  describe('at a custom scheme', () => {
    const nativeApp = async (config: object = {}) => {
      const redirectUri = `com.example.n${unique()}:/cb`;
      return { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri], ...config } })), redirectUri };
    };

    it('with a challenge returns a code that another app on the device cannot use', async () => {
      const app = await nativeApp();
      const member = await world.user(app);
      const browser = new HostedBrowser(service.baseUrl);
      const first = await browser.signIn(loginPath(app, PKCE), member.email, member.password);
      const silent = await browser.get(loginPath(app, { ...PKCE, prompt: 'none' }));
      for (const { delivered } of [first, silent]) expect([...delivered.keys()]).toEqual(['code']);
      expect((await exchange(app, first.delivered.get('code'))).status).toBe(400);
      expect((await exchange(app, silent.delivered.get('code'), { code_verifier: VERIFIER })).status).toBe(200);
    });

    it('without a challenge returns tokens, unless the app requires one', async () => {
      const app = await nativeApp();
      const member = await world.user(app);
      const end = await new HostedBrowser(service.baseUrl).signIn(loginPath(app), member.email, member.password);
      expect([...end.delivered.keys()]).toEqual(['access_token', 'refresh_token']);
      const demanding = await nativeApp({ require_pkce: true });
      const refused = await new HostedBrowser(service.baseUrl).get(loginPath(demanding));
      expect(refused.delivered.get('error')).toBe('invalid_request');
    });
  });
});
