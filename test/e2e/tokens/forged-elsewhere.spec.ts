import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { FORGERIES, type ForgeryMaterial } from '../../support/forgeries.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { authorizationPath, openIdSignIn } from '../../support/openid-sign-in.js';
import { postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

/** A hint may have expired, an ID token is what it should be, and its header says JWT anyway. */
const GOOD_AS_HINTS = new Set(['an expired token of ours', 'the kind id', 'an altered header']);

// security 55, at the doors that came with OpenID Connect
describe('Forged token at introspection, logout and authorization', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  let browser: HostedBrowser;
  let access: ForgeryMaterial;
  let id: ForgeryMaterial;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    user = await world.user(app);
    const signedIn = await openIdSignIn(world, app, user);
    browser = signedIn.browser;
    const { body } = await world.call<{ keys: Record<string, string>[] }>('GET', '/.well-known/jwks.json');
    const { kid, privateKey } = service.nest.get(SigningKeys, { strict: false }).current();
    const known = { jwk: body.keys.find((key) => key['kid'] === kid)!, privateKey, foreignKeySet: world.baseUrl };
    access = { ...known, genuine: signedIn.tokens.access_token };
    id = { ...known, genuine: signedIn.tokens.id_token };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const introspect = async (token: string) => {
    const client = { client_id: app.id, client_secret: app.secret };
    return (await postForm<unknown>(`${world.baseUrl}/token/introspect`, { token, ...client })).body;
  };

  it('would be active if it were genuine (control of these tests)', async () => {
    expect(await introspect(access.genuine)).toMatchObject({ active: true, sub: user.id });
  });

  it.each(FORGERIES)('with %s is inactive at /token/introspect (security 55)', async (name, forge) => {
    const token = await forge(access);
    expect([name, token.length > 8192 ? { active: false } : await introspect(token)]).toEqual([
      name,
      { active: false },
    ]);
  });

  it.each(FORGERIES.filter(([name]) => !GOOD_AS_HINTS.has(name)))(
    'with %s ends no session as id_token_hint',
    async (name, forge) => {
      const hint = await forge(id);
      const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: app.redirectUri });
      const answer = await browser.get(`/logout?${query.toString()}`);
      expect([name, answer.location]).toEqual([name, null]);
      const silent = await browser.get(authorizationPath(app, { prompt: 'none' }));
      expect([name, silent.delivered.has('code')]).toEqual([name, true]);
    },
  );

  it('at the authorization endpoint gets no code without a page, and the signed-in user stays signed in', async () => {
    const forge = FORGERIES.find(([name]) => name === 'an altered payload')![1];
    const hinted = { prompt: 'none', id_token_hint: await forge(id) };
    expect((await browser.get(authorizationPath(app, hinted))).delivered.get('error')).toBe('login_required');
    expect((await browser.get(authorizationPath(app, { prompt: 'none' }))).delivered.has('code')).toBe(true);
  });
});
