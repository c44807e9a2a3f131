import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DailyCount } from '../../../src/operations/statistics/daily-count.job.js';
import { contentToken, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { authorizationPath, codeFrom, redeem } from '../../support/openid-sign-in.js';
import { addPasskey, passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { basic, postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';

// OpenID Connect Core 3.1.2.1 and 5.5.1.1, RFC 9470.
describe('Step-up by passkey', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let owner: TestUser;
  let device: TestAuthenticator;
  let plain: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    const settings = { ...(await passkeySettings()), databaseUrl: database.url };
    service = await startTestApp({ settings: { ...settings, rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant(), { config: { allowed_providers: ['password', 'passkey'] } });
    owner = await world.user(app);
    device = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, owner, device);
    plain = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** A browser in which the user is signed in with the password only. */
  const signedIn = async (user: TestUser) => {
    const browser = new HostedBrowser(world.baseUrl);
    await codeFrom(browser, app, user);
    return browser;
  };
  const essential = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  });
  const acrsOf = async (code: string | null) => {
    const { body } = await redeem(world, app, code!);
    const { access_token: token } = body;
    const introspected = await postForm<{ acr?: string }>(
      `${world.baseUrl}/token/introspect`,
      { token },
      basic(app.id, app.secret),
    );
    return [readJwt(body.id_token).payload['acr'], readJwt(token).payload['acr'], introspected.body.acr];
  };

  it('is promised by discovery, and acr is in no token of a sign-in with one factor', async () => {
    const { body } = await world.call<object>('GET', '/.well-known/openid-configuration');
    expect(body).toMatchObject({ acr_values_supported: ['phr', MULTI_FACTOR] });
    const code = await codeFrom(new HostedBrowser(world.baseUrl), app, plain, { acr_values: `phr ${MULTI_FACTOR}` });
    expect(await acrsOf(code)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['phr', 'phr'],
    [MULTI_FACTOR, MULTI_FACTOR],
    [`urn:unknown ${MULTI_FACTOR} phr`, MULTI_FACTOR],
  ])('asks a signed-in user for the passkey with acr_values=%s', async (acr_values, acr) => {
    const page = await SignInPage.open(await signedIn(owner), authorizationPath(app, { acr_values }));
    expect(page.page.body).toContain('Confirm with your passkey');
    const end = await page.use(device, 'second_factor');
    expect(await acrsOf(end.delivered.get('code'))).toEqual([acr, acr, acr]);
    const next = await page.browser.get(authorizationPath(app, { acr_values, prompt: 'none' }));
    expect(next.delivered.get('code')).not.toBeNull();
  });

  it('is a wish in acr_values: the user can go on without, and prompt=none asks nothing', async () => {
    const browser = await signedIn(owner);
    const silent = await browser.get(authorizationPath(app, { acr_values: 'phr', prompt: 'none' }));
    expect(await acrsOf(silent.delivered.get('code'))).toEqual([undefined, undefined, undefined]);
    const { page } = await SignInPage.open(browser, authorizationPath(app, { acr_values: 'phr' }));
    expect(page.body).toContain('Continue without a passkey');
    const end = await browser.submit(page, { skip: '1' });
    expect(end.body).not.toContain('Continue without');
    expect(await acrsOf(end.delivered.get('code'))).toEqual([undefined, undefined, undefined]);
  });

  it('is a condition in claims with essential: no user continues without it', async () => {
    const browser = await signedIn(owner);
    const silent = await browser.get(authorizationPath(app, { ...essential('phr'), prompt: 'none' }));
    expect(silent.delivered.get('error')).toBe('login_required');
    const page = await SignInPage.open(browser, authorizationPath(app, essential('phr')));
    expect(page.page.body).not.toContain('Continue without a passkey');
    expect((await browser.submit(page.page, { skip: '1' })).body).toContain('Confirm with your passkey');
    const end = await page.use(device, 'second_factor');
    expect(await acrsOf(end.delivered.get('code'))).toEqual(['phr', 'phr', 'phr']);
    const unknown = await browser.get(authorizationPath(app, essential('urn:mace:incommon:iap:silver')));
    expect(unknown.delivered.get('error')).toBe('unmet_authentication_requirements');
  });

  it('sends a user without a passkey back where it is essential, or to the set-up of a code where that is enough', async () => {
    const browser = await signedIn(plain);
    const unmet = await browser.get(authorizationPath(app, essential('phr')));
    expect(unmet.delivered.get('error')).toBe('unmet_authentication_requirements');
    const { page } = await SignInPage.open(browser, authorizationPath(app, essential('phr', MULTI_FACTOR)));
    expect(page.body).toContain('class="qr"');
  });

  it('needs no further page where the passkey was the sign-in', async () => {
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), authorizationPath(app, essential('phr')));
    const end = await page.use(device);
    expect(await acrsOf(end.delivered.get('code'))).toEqual(['phr', 'phr', 'phr']);
  });

  it('and every other sign-in with a passkey is counted by the statistics', async () => {
    await service.nest.get(DailyCount, { strict: false }).run();
    const [row] = await world.sql<{ count: number }>(
      "SELECT count FROM daily_statistics WHERE measure = 'passkey_sign_ins' AND scope_id = $1",
      [app.id],
    );
    expect(row!.count).toBeGreaterThan(3);
  });

  it('confirms the identity of an operator in the console', async () => {
    const browser = await visitConsole(world, world.admin);
    const key = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, world.admin, key);
    const [console] = await world.sql<{ id: string }>(
      'SELECT a.id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform',
    );
    await world.asAdmin('PUT', `/admin/apps/${console!.id}`, {
      config: { allowed_providers: ['password', 'passkey'] },
    });
    await world.sql("UPDATE console_sessions SET auth_time = auth_time - interval '16 minutes'");
    const to = `/console/users/${plain.id}/promote`;
    const asked = await browser.get(to);
    expect(asked.location).toMatch('/console/confirm-identity');
    const form_token = contentToken(await browser.get(asked.location!));
    const onward = await browser.post('/console/confirm-identity', { form_token, to });
    const end = await (await SignInPage.open(browser, onward.location!)).use(key);
    const back = await browser.get(end.location!.slice(world.baseUrl.length));
    expect(back.location).toBe(to);
    expect((await browser.get(to)).status).toBe(200);
  });
});
