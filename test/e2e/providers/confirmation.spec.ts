import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath, unescapeHtml } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { follow, somebody, startPath } from '../../support/provider-trip.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

/** A page of the account that is shown after a sign-in from the last five minutes only. */
const FRESH_PAGE = '/account/second-factor';
const CONFIRM = 'Confirm that it’s you';
const NOW = () => Math.floor(Date.now() / 1000);

describe('A sign-in at a provider', () => {
  let google: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    google = await ScriptedOpenId.start();
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const allowed_providers = ['password', 'google'];
    app = await world.app(tenant, { registration_policy: 'open', config: { allowed_providers } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await google.close();
  });

  const member = (more: object = {}) => world.person(app, { email_verified: true, ...more });
  /** The one with this address at the provider, who signed in there at that time. */
  const isThere = (email: string, auth_time?: number) => {
    google.person = { ...somebody({ email }), ...(auth_time === undefined ? {} : { auth_time }) };
  };
  const trip = async (browser: HostedBrowser, path: string) => {
    const sent = new URL((await browser.get(path)).location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    const query = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    return follow(browser, await browser.get(`/oauth/google/callback?${query.toString()}`));
  };
  const byGoogle = async (at: TestClient, more: Record<string, string> = {}) => {
    const browser = new HostedBrowser(world.baseUrl);
    return { browser, end: await trip(browser, startPath('google', at, more)) };
  };
  const isAsked = async (browser: HostedBrowser) => {
    const { status, location } = await browser.get(FRESH_PAGE);
    if (status === 200) return false;
    expect(location).toContain('/account/sign-in?fresh=1');
    return true;
  };
  const tokensOf = async (end: HostedAnswer, at: TestClient) =>
    (await world.call<Tokens>('POST', '/token/exchange', { code: end.delivered.get('code'), app_id: at.id })).body;

  it('confirms nothing for a user with a password, whom the account page asks for it', async () => {
    const person = await member();
    isThere(person.email);
    const { browser, end } = await byGoogle(app);
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['fed', 'google', 'unprompted']);
    expect(await isAsked(browser)).toBe(true);
    const page = await follow(browser, await browser.get(FRESH_PAGE));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    await browser.submit(page, { email: person.email, password: person.password });
    expect(await isAsked(browser)).toBe(false);
  });

  it('confirms for a user who has nothing else', async () => {
    isThere(somebody().email);
    const { browser, end } = await byGoogle(app);
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['fed', 'google']);
    expect(await isAsked(browser)).toBe(false);
  });

  it.each([
    ['confirms if the provider says that it has just asked for credentials', () => NOW() - 60, false],
    ['confirms nothing if the provider asked for them an hour ago', () => NOW() - 3600, true],
  ])('%s', async (_, askedAt, asked) => {
    const person = await member();
    isThere(person.email, askedAt());
    expect(await isAsked((await byGoogle(app)).browser)).toBe(asked);
  });

  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age', { max_age: '3600' }],
  ])('does not do for %s: the page asks for the password', async (_, wish) => {
    const person = await member();
    isThere(person.email);
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app, wish));
    const start = /href="(\/oauth\/google\/start\?[^"]+)"/.exec(login.body)![1]!;
    const page = await trip(browser, unescapeHtml(start));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    const end = await browser.submit(page, { email: person.email, password: person.password });
    expect(readJwt((await tokensOf(end, app)).access_token).payload['amr']).toEqual(['pwd']);
  });

  it('does at an app that takes nothing else, and not elsewhere with the same session', async () => {
    const person = await member();
    const only = await world.app(tenant, { registration_policy: 'open', config: { allowed_providers: ['google'] } });
    await world.asAdmin('PUT', `/admin/users/${person.id}/roles`, { app_id: only.id, roles: ['user'] });
    isThere(person.email);
    const { browser, end } = await byGoogle(only, { max_age: '60' });
    expect(readJwt((await tokensOf(end, only)).access_token).payload['amr']).toEqual(['fed', 'google']);
    expect(await isAsked(browser)).toBe(true);
    // The account page has the methods of the app that was used last, and a link to all.
    const page = await follow(browser, await browser.get(FRESH_PAGE));
    expect(page.body).toContain(CONFIRM);
    expect(page.body).not.toContain('/oauth/google/start');
    const all = /href="(\/account\/sign-in\?any[^"]+)"/.exec(page.body)![1]!;
    const other = await follow(browser, await browser.get(unescapeHtml(all)));
    expect(other.body).toContain('type="password"');
    const back = await browser.get(loginPath(app));
    expect(readJwt((await tokensOf(back, app)).access_token).payload['amr']).toEqual(['fed', 'google', 'unprompted']);
  });

  it('is not recent for the admin API, as one with the password is', async () => {
    const admin: Person = await member({ roles: ['user', 'admin'] });
    const regenerate = (token: string) =>
      world.call('POST', `/admin/apps/${app.id}/regenerate-secret`, undefined, { token });
    isThere(admin.email);
    const token = (await tokensOf((await byGoogle(app)).end, app)).access_token;
    const refused = await regenerate(token);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('insufficient_user_authentication'),
    ]);
    const own = (await world.tokens(admin, app.id)).access_token;
    expect((await regenerate(own)).status).toBe(200);
  });
});
