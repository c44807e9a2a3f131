import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { visitAccount } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { readJwt } from '../../support/jwt-parts.js';
import {
  addPasskey,
  passkeySettings,
  registrationOptions,
  sendPasskey,
  SignInPage,
  TestAuthenticator,
} from '../../support/passkeys.js';
import type { Failure } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const SECURITY_KEY = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
const OTHER = '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6';

describe('Passkey models of a tenant', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  /** Accepts one model. */
  let strictTenant: TestTenant;
  let strict: TestClient;
  /** Of another tenant. */
  let open: TestClient;

  beforeAll(async () => {
    // Its own, because a test changes the platform's Console app.
    database = await freshDatabase();
    service = await startTestApp({ settings: { ...(await passkeySettings()), databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    const config = { allowed_providers: ['password', 'passkey'] };
    strictTenant = await world.tenant({ passkey_aaguids: [SECURITY_KEY] });
    strict = await world.app(strictTenant, { config });
    open = await world.app(await world.tenant(), { config });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const device = (aaguid: string) => new TestAuthenticator(world.baseUrl, { aaguid });
  /** A member of both tenants, who has passkeys of these models from before they joined the strict one. */
  const member = async (...devices: TestAuthenticator[]) => {
    const user = await world.user(open);
    for (const each of devices) await addPasskey(world, user, each);
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')
       ON CONFLICT DO NOTHING`,
      [user.id, strict.id],
    );
    return user;
  };
  const amrOf = async (at: TestClient, code: string | null) => {
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: at.id });
    return readJwt(body.access_token).payload['amr'];
  };

  it('are refused for a new passkey of a member, whatever else the account is used for', async () => {
    const user = await member();
    const browser = await visitAccount(world, user);
    const options = await registrationOptions(browser);
    expect(options.attestation).toBe('direct');
    const refused = await sendPasskey(browser, device(OTHER).create(options));
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('accepts only passkeys on certain')]);
    const added = await sendPasskey(browser, device(SECURITY_KEY).create(await registrationOptions(browser)));
    expect(added.location).toBe('/account?done=passkey-added');
  });

  it('that are not accepted do not open its apps, and open those of other tenants', async () => {
    const [other, key] = [device(OTHER), device(SECURITY_KEY)];
    await member(other, key);
    const browser = new HostedBrowser(world.baseUrl);
    const end = await (await SignInPage.open(browser, loginPath(open))).use(other);
    expect(await amrOf(open, end.delivered.get('code'))).toEqual(['swk', 'user', 'mfa']);
    const page = await SignInPage.open(browser, loginPath(strict));
    expect(page.page.body).toContain('doesn’t accept this kind of passkey');
    expect((await page.use(other)).body).toContain('doesn’t accept this kind of passkey');
    const accepted = await (await SignInPage.open(browser, loginPath(strict))).use(key);
    expect(await amrOf(strict, accepted.delivered.get('code'))).toEqual(['swk', 'user', 'mfa']);
  });

  it('that are not accepted are no second factor there', async () => {
    const other = device(OTHER);
    const user = await member(other);
    const session = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(open));
    await session.use(other);
    const strictPage = await session.browser.signIn(loginPath(strict), user.email, user.password);
    expect(await amrOf(strict, strictPage.delivered.get('code'))).toEqual(['pwd']);
  });

  it('that are not accepted neither join its apps nor ask to', async () => {
    const other = device(OTHER);
    const user = await world.user(open);
    await addPasskey(world, user, other);
    const config = { allowed_providers: ['passkey'] };
    const asked = await world.app(strictTenant, { registration_policy: 'approval', config });
    const browser = new HostedBrowser(world.baseUrl);
    await (await SignInPage.open(browser, loginPath(open))).use(other);
    const headers = { Cookie: browser.cookieHeader() };
    const request = await world.call('POST', '/auth/request-access', { app_id: asked.id }, { headers });
    expect([request.status, request.body]).toEqual([401, { detail: 'Not authenticated' }]);
    const { code } = await newInvite(world, asked, { send_to_email: undefined });
    const invite = { app_id: asked.id, invite_code: code, email: user.email };
    const joined = await world.call<Failure>('POST', '/auth/accept-invite', invite, { headers });
    expect([joined.status, joined.body.detail]).toEqual([401, 'Sign in to accept this invite']);
  });

  describe('of the console', () => {
    const begin = async () => {
      const browser = new HostedBrowser(world.baseUrl);
      return { browser, path: (await browser.get('/console/login')).location! };
    };
    const inConsole = async (browser: HostedBrowser) => (await browser.get('/console/')).status === 200;
    const enter = async (browser: HostedBrowser, end: HostedAnswer) => {
      if (end.location) await browser.get(end.location.slice(world.baseUrl.length));
      return inConsole(browser);
    };
    it('are those of the tenants that a user administers', async () => {
      const [console] = await world.sql<{ id: string }>(
        'SELECT a.id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform',
      );
      await world.asAdmin('PUT', `/admin/apps/${console!.id}`, {
        config: { allowed_providers: ['password', 'passkey'] },
      });
      const admin = await world.tenantAdmin(strictTenant);
      const [other, key] = [device(OTHER), device(SECURITY_KEY)];
      await addPasskey(world, admin, key);
      await world.sql('UPDATE tenants SET passkey_aaguids = NULL WHERE id = $1', [strictTenant.id]);
      await addPasskey(world, admin, other);
      await world.sql('UPDATE tenants SET passkey_aaguids = $2 WHERE id = $1', [strictTenant.id, [SECURITY_KEY]]);
      const first = await begin();
      const refused = await (await SignInPage.open(first.browser, first.path)).use(other);
      expect(refused.body).toContain('doesn’t accept this kind of passkey');
      expect(await inConsole(first.browser)).toBe(false);
      const second = await begin();
      const accepted = await (await SignInPage.open(second.browser, second.path)).use(key);
      expect(await enter(second.browser, accepted)).toBe(true);
      // A policy that comes later counts at the next page.
      await world.sql('UPDATE tenants SET passkey_aaguids = $2 WHERE id = $1', [strictTenant.id, [OTHER]]);
      expect(await inConsole(second.browser)).toBe(false);
      await world.sql('UPDATE tenants SET passkey_aaguids = $2 WHERE id = $1', [strictTenant.id, [SECURITY_KEY]]);
    });

    it('and two factors are demanded of the admins of apps in a tenant that demands them, too', async () => {
      const tenant = await world.tenant();
      const app = await world.app(tenant);
      const admin = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: app.id, roles: ['admin'] });
      const before = await begin();
      const end = await before.browser.signIn(before.path, admin.email, admin.password);
      expect(await enter(before.browser, end)).toBe(true);
      await world.sql('UPDATE tenants SET require_2fa = true WHERE id = $1', [tenant.id]);
      expect(await inConsole(before.browser)).toBe(false);
      const after = await begin();
      const page = await after.browser.signIn(after.path, admin.email, admin.password);
      expect(page.body).toContain('class="qr"');
    });
  });

  // Else the stolen password of someone who is a member there too would open the apps where the passkey counts.
  describe.each([
    ['the tenant', { require_2fa: true }, {}],
    [
      'an essential acr',
      {},
      { scope: 'openid', claims: JSON.stringify({ id_token: { acr: { essential: true, values: [MULTI_FACTOR] } } }) },
    ],
  ])('that are not accepted, where %s demands two factors', (_, tenant, asked) => {
    const demandTwo = (at: TestClient, isDemanded: boolean) =>
      world.sql('UPDATE tenants SET require_2fa = $2 WHERE id = $1', [at.tenantId, isDemanded]);

    beforeEach(async () => {
      await demandTwo(strict, 'require_2fa' in tenant);
      await demandTwo(open, true);
    });

    afterEach(async () => {
      await demandTwo(strict, false);
      await demandTwo(open, false);
    });

    it('are shown before another second factor is set up', async () => {
      const other = device(OTHER);
      const user = await member(other);
      const browser = new HostedBrowser(world.baseUrl);
      const page = await browser.signIn(loginPath(strict, asked), user.email, user.password);
      expect(page.body).toContain('Confirm with your passkey');
      expect(page.body).not.toContain('class="qr"');
      const asksForKey = await SignInPage.open(browser, /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0]);
      const setup = `${asksForKey.path}/second_factor_setup`;
      const early = await browser.post(setup, { form_token: asksForKey.page.formToken(), code: '123456' });
      expect(early.location).toBe(asksForKey.path);
      expect((await asksForKey.use(other, 'second_factor')).body).toContain('class="qr"');
      const login = await world.login(user, strict.id);
      if ('require_2fa' in tenant) expect([login.status, login.body.detail]).toEqual([403, { error: '2fa_required' }]);
    });
  });

  it('are AAGUIDs, and null accepts every model', async () => {
    const path = `/admin/tenants/${strict.tenantId}`;
    const put = (passkey_aaguids: unknown) =>
      world.call<{ passkey_aaguids: unknown }>('PATCH', path, { passkey_aaguids }, { token: world.admin.token });
    for (const wrong of [['YubiKey'], 'all', [null], [SECURITY_KEY.toUpperCase()]])
      expect((await put(wrong)).status).toBe(422);
    expect((await put(null)).body.passkey_aaguids).toBeNull();
    expect((await put([SECURITY_KEY])).body.passkey_aaguids).toEqual([SECURITY_KEY]);
  });
});
