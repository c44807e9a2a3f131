import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderName } from '../../../src/config/provider-settings.js';
import { DemoData } from '../../../src/embedded/dev/playground/demo-data.js';
import { withStandInProviders } from '../../../src/embedded/dev/provider/stand-in-settings.js';
import { freePort } from '../../support/free-port.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { follow } from '../../support/provider-sign-in.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { testSettings } from '../../support/test-settings.js';
import { type TestClient, type Tokens, unique, World } from '../../support/world.js';

const ALL: readonly ProviderName[] = ['google', 'microsoft', 'github', 'apple'];

describe('Stand-in for external providers in embedded mode', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    const port = await freePort();
    const where = { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}`, databaseUrl: database.url };
    const { providers } = withStandInProviders(testSettings({ ...where, embedded: true }));
    service = await startTestApp({ settings: { ...where, providers, embedded: true } });
    world = await World.open(service.baseUrl, database.url);
    const redirectUri = 'https://shop.example/cb';
    const config = { redirect_uris: [redirectUri], allowed_providers: [...ALL] };
    app = { ...(await world.app(await world.tenant(), { registration_policy: 'open', config })), redirectUri };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
  });

  const unescape = (text: string) => text.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&');

  /** Clicks the provider's button, enters the email address and continues. */
  const walk = async (from: string, label: string, email: string): Promise<HostedAnswer> => {
    const page = await browser.get(from);
    const link = new RegExp(`href="([^"]+)"[^>]*>(?:(?!</a>)[\\s\\S])*Continue with ${label}`).exec(page.body)![1]!;
    const form = await browser.get((await browser.get(unescape(link))).location!);
    expect([form.status, form.body.includes(`This is not ${label}`)]).toEqual([200, true]);
    const answer = await browser.post(form.formAction(), { ...form.hiddenFields(), email });
    const onward = /<a class="button" href="([^"]+)">Continue/.exec(answer.body)?.[1];
    if (onward) {
      expect(answer.headers.get('refresh')).toBe(`0; url=${unescape(onward)}`);
      return follow(browser, await browser.get(unescape(onward)));
    }
    const posted = await browser.postFromOutside(new URL(answer.formAction()).pathname, answer.hiddenFields());
    return follow(browser, posted);
  };

  it.each([
    ['Google', true],
    ['Microsoft', false],
    ['GitHub', true],
    ['Apple', true],
  ])('signs in a new user with %s without any registration at the provider', async (label, verified) => {
    const email = `${unique()}@example.com`;
    const done = await walk(loginPath(app, { state: 'mine' }), label, email);
    expect(done.delivered.get('state')).toBe('mine');
    const exchange = { code: done.delivered.get('code'), app_id: app.id };
    const tokens = await world.call<Tokens>('POST', '/token/exchange', exchange);
    const me = await world.call('GET', '/userinfo', undefined, { token: tokens.body.access_token });
    expect(me.body).toMatchObject({ email, email_verified: verified });
    const first = await world.sql('SELECT id FROM users WHERE email = $1', [email]);
    browser = new HostedBrowser(service.baseUrl);
    await walk(loginPath(app), label, email.toUpperCase());
    expect(await world.sql('SELECT id FROM users WHERE lower(email) = $1', [email])).toEqual(first);
  });

  it('opens the demo app’s playground from its sign-in page', async () => {
    const demo = service.nest.get(DemoData, { strict: false });
    const { id } = await demo.ensureApp();
    const done = await walk(loginPath({ id, redirectUri: demo.redirectUri }), 'Google', 'ada.lovelace@example.com');
    expect(done.location).toMatch(new RegExp(`^${demo.redirectUri}\\?code=`));
    const [user] = await world.sql('SELECT display_name FROM users WHERE email = $1', ['ada.lovelace@example.com']);
    expect(user).toEqual({ display_name: 'Ada Lovelace' });
  });

  it('returns 422 for an invalid email address and 403 for a form of another site', async () => {
    const { location } = await browser.get(`/oauth/google/start?app_id=${app.id}`);
    const form = await browser.get(location!);
    const again = await browser.post(form.formAction(), { ...form.hiddenFields(), email: 'ada' });
    expect([again.status, again.body.includes('Enter a complete e-mail address')]).toEqual([422, true]);
    expect(again.hiddenFields()).toMatchObject({ state: new URL(location!).searchParams.get('state') });
    const foreign = await browser.post(form.formAction(), {
      ...form.hiddenFields(),
      form_token: '',
      email: 'a@example.com',
    });
    expect(foreign.status).toBe(403);
    const elsewhere = { ...form.hiddenFields(), email: 'a@example.com', redirect_uri: 'https://evil.example/cb' };
    expect((await browser.post(form.formAction(), elsewhere)).status).toBe(404);
  });

  it('returns invalid_grant for an unknown code and 401 for userinfo without a token', async () => {
    const answer = await world.call('POST', '/dev/provider/google/token', { code: 'x', code_verifier: 'y' });
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_grant' }]);
    expect((await world.call('GET', '/dev/provider/github/user')).status).toBe(401);
  });

  it('does not replace configured providers, and returns 404 outside embedded mode', async () => {
    const own = testSettings({ embedded: true, providers: { ...service.settings.providers, github: null } });
    expect(withStandInProviders(own)).toBe(own);
    const production = await startTestApp({});
    try {
      for (const path of ['/dev/provider/jwks', '/dev/provider/google/authorize', '/oauth/google/start'])
        expect((await fetch(`${production.baseUrl}${path}`)).status).toBe(404);
    } finally {
      await production.close();
    }
  });
});
