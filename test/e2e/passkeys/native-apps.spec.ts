import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { ageSignIns } from '../../support/account-visitor.js';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from 'nid-webauthn-emulator';
import { readJwt } from '../../support/jwt-parts.js';
import { addPasskey, altered, passkeySettings, TestAuthenticator, type Traits } from '../../support/passkeys.js';
import { enroll } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type Call, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const FINGERPRINT = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0').toUpperCase()).join(
  ':',
);
const ORIGIN = `android:apk-key-hash:${Buffer.from(FINGERPRINT.replaceAll(':', ''), 'hex').toString('base64url')}`;
const ANDROID = `com.example.shop/${FINGERPRINT}`;
const WEBSITE = 'https://shop.example';
const APPLE = 'ABCDE12345.com.example.shop';

describe('Passkeys of native apps', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    const settings = { ...(await passkeySettings()), passkeyRelatedOrigins: [WEBSITE, 'https://unused.example'] };
    service = await startTestApp({ settings });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const allowed_providers = ['password', 'passkey'];
    app = await world.app(tenant, { config: { allowed_providers, android_apps: [ANDROID], apple_app_ids: [APPLE] } });
    other = await world.app(tenant, { config: { allowed_providers } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const withPasskey = async (traits: Traits = {}, at = app) => {
    const user = await world.user(at);
    const device = new TestAuthenticator(world.baseUrl, traits);
    await addPasskey(world, user, device);
    return { user, device };
  };
  const options = async (at: TestClient) =>
    (await world.call<PublicKeyCredentialRequestOptionsJSON>('POST', '/auth/passkey/options', { app_id: at.id })).body;
  const claimedFrom = (credential: string, origin: string) =>
    altered(credential, ({ clientDataJSON }) => {
      const data = JSON.parse(Buffer.from(clientDataJSON!, 'base64url').toString()) as object;
      return { clientDataJSON: Buffer.from(JSON.stringify({ ...data, origin })).toString('base64url') };
    });
  /** As the device's own dialog answers, which names the app that has asked. */
  const answerOf = (device: TestAuthenticator, asked: PublicKeyCredentialRequestOptionsJSON, origin: string) => {
    return device.signed(claimedFrom(device.get(asked), origin), () => undefined);
  };
  const send = (at: TestClient, credential: string, more: object = {}) =>
    world.call<Tokens & { totp_session?: string }>('POST', '/auth/passkey', {
      app_id: at.id,
      credential: JSON.parse(credential) as object,
      ...more,
    });

  it('are listed from memory until an app or a tenant changes, in whatever process', async () => {
    const directory = service.nest.get(AppDirectory, { strict: false });
    const isKept = () => {
      const known = directory.listNativeApps();
      return directory.listNativeApps() === known;
    };
    await eventually('the list is kept', async () => (isKept() ? true : undefined));
    // Of all rows it would lock those that other tests change, and empty the caches that they look at.
    for (const [table, id] of [
      ['apps', app.id],
      ['tenants', app.tenantId],
    ]) {
      const known = directory.listNativeApps();
      expect(await known).toContainEqual(expect.objectContaining({ android_apps: [ANDROID] }));
      await world.sql(`UPDATE ${table} SET name = name WHERE id = $1`, [id]);
      await eventually('the list is forgotten', async () => (directory.listNativeApps() === known ? undefined : true));
    }
  });

  it.each([ORIGIN, 'https://localhost'])('open the app from %s', async (origin) => {
    const { device, user } = await withPasskey();
    const { status, body } = await send(app, answerOf(device, await options(app), origin), { device_id: 'phone' });
    expect(status).toBe(200);
    expect(readJwt(body.access_token).payload).toMatchObject({ sub: user.id, aud: app.id, acr: 'phr' });
  });

  it('are refused from other origins, for another app, and with a challenge that was used', async () => {
    const { device } = await withPasskey();
    for (const origin of ['https://evil.example', 'android:apk-key-hash:AAAA', `${ORIGIN}A`])
      expect((await send(app, answerOf(device, await options(app), origin))).status).toBe(401);
    const asked = await options(app);
    expect((await send(other, answerOf(device, asked, ORIGIN))).status).toBe(401);
    expect((await send(other, answerOf(device, await options(other), ORIGIN))).status).toBe(401);
    const again = answerOf(device, asked, ORIGIN);
    expect((await send(app, again)).status).toBe(200);
    expect((await send(app, again)).status).toBe(401);
  });

  it('open an app from the website of a related origin where the app has a redirect URI, and from no other', async () => {
    const listed = await world.call('GET', '/.well-known/webauthn');
    expect([listed.body, listed.headers.get('content-type')]).toEqual([
      { origins: [WEBSITE, 'https://unused.example'] },
      expect.stringMatching(/^application\/json/),
    ]);
    const config = { allowed_providers: ['password', 'passkey'], redirect_uris: [`${WEBSITE}/callback`] };
    const shop = await world.app(tenant, { config });
    const { device, user } = await withPasskey({}, shop);
    const sessions = () => world.sql('SELECT id FROM sso_sessions WHERE user_id = $1 ORDER BY id', [user.id]);
    const before = await sessions();
    const opened = await send(shop, answerOf(device, await options(shop), WEBSITE));
    expect(opened.status).toBe(200);
    // The server of the website sends it, and gets nothing that reaches beyond its app.
    expect(opened.headers.getSetCookie()).toEqual([]);
    expect(await sessions()).toEqual(before);
    // It is a new sign-in all the same: the user learns of it.
    await send(shop, answerOf(device, await options(shop), WEBSITE), { device_id: 'a new one' });
    const noticed = async () =>
      (
        await world.sql(
          `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'user.new_browser' AND metadata @> '{"mailed": true}'`,
          [user.id],
        )
      ).length;
    const byWebsite = await noticed();
    expect(byWebsite).toBeGreaterThan(0);
    // Nor does the server of the website become a known device for sign-ins to the whole account.
    await world.tokens(user, shop.id, { device_id: 'a new one' });
    expect(await noticed()).toBe(byWebsite + 1);
    const wrong = [
      'https://unused.example',
      `${WEBSITE}.evil.example`,
      `${WEBSITE}:8443`,
      'http://shop.example',
      ORIGIN,
    ];
    for (const origin of wrong)
      expect((await send(shop, answerOf(device, await options(shop), origin))).status).toBe(401);
    expect((await send(app, answerOf(device, await options(app), WEBSITE))).status).toBe(401);
  });

  const REGISTRATION = '/auth/passkey/registration';
  /** A user who has just signed in by JSON, whose native app keeps the cookie. */
  const signedIn = async (at = app) => {
    const user = await world.user(at);
    const { email, password } = user;
    const login = await world.call<Tokens>('POST', '/auth/login', { email, password, app_id: at.id });
    const [cookie] = login.headers.getSetCookie()[0]!.split(';');
    const headers = { Cookie: cookie! };
    const ask = (of: TestClient, more: Call = { headers }) =>
      world.call<PublicKeyCredentialCreationOptionsJSON>('POST', `${REGISTRATION}/options`, { app_id: of.id }, more);
    const add = (of: TestClient, credential: string, more: Call = { headers }) =>
      world.call('POST', REGISTRATION, { app_id: of.id, credential: JSON.parse(credential) as object }, more);
    return { user, token: login.body.access_token, headers, ask, add };
  };

  it('are added by the native app within five minutes of a sign-in, audited and with a stronger session', async () => {
    const { user, ask, add } = await signedIn();
    const device = new TestAuthenticator(world.baseUrl);
    const created = claimedFrom(device.create((await ask(app)).body), ORIGIN);
    const added = await add(app, created);
    expect([added.status, added.body]).toEqual([200, { status: 'ok' }]);
    const [session] = await world.sql<{ amr: string[] }>(
      'SELECT amr FROM sso_sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
      [user.id],
    );
    expect(session!.amr).toEqual(expect.arrayContaining(['pwd', 'swk', 'mfa']));
    expect(added.headers.getSetCookie().join()).toContain('sso=');
    const entries = await world.sql<{ action: string }>(
      "SELECT action FROM audit_entries WHERE actor_id = $1::text AND user_id = $1::uuid AND action LIKE 'passkey%'",
      [user.id],
    );
    expect(entries).toEqual([{ action: 'passkey.added' }]);
    expect((await send(app, answerOf(device, await options(app), ORIGIN))).status).toBe(200);
  });

  it('are not added with an app’s token, a sign-in of before, or from elsewhere', async () => {
    const { user, token, headers, ask, add } = await signedIn();
    const device = () => new TestAuthenticator(world.baseUrl);
    const asked = async (of = app) => device().create((await ask(of)).body);
    for (const more of [{ token }, { token, headers }]) expect((await ask(app, more)).status).toBe(403);
    expect((await ask(app, {})).status).toBe(401);
    expect((await add(app, claimedFrom(await asked(), ORIGIN), { token })).status).toBe(403);
    const evil = { headers: { ...headers, Origin: 'https://evil.example' } };
    expect([(await ask(app, evil)).status, (await add(app, await asked(), evil)).status]).toEqual([403, 403]);
    for (const origin of [world.baseUrl, 'https://evil.example', 'android:apk-key-hash:AAAA'])
      expect((await add(app, claimedFrom(await asked(), origin))).status).toBe(401);
    const theirs = await signedIn();
    expect((await theirs.add(app, claimedFrom(await asked(), ORIGIN))).status).toBe(401);
    expect((await add(other, claimedFrom(await asked(), 'https://localhost'))).status).toBe(401);
    const without = await world.app(tenant);
    expect([(await ask(without)).status, (await ask({ ...app, id: tenant.id })).status]).toEqual([403, 400]);
    const late = claimedFrom(await asked(), ORIGIN);
    await ageSignIns(world, user.id, 301);
    const refusals = [await ask(app), await add(app, late)];
    expect(refusals.map(({ status, body }) => [status, body])).toEqual(
      Array(2).fill([403, { detail: expect.objectContaining({ error: 'reauthentication_required' }) }]),
    );
    expect(await world.sql('SELECT 1 FROM passkeys WHERE user_id = ANY ($1)', [[user.id, theirs.user.id]])).toEqual([]);
  });

  it('are asked for a code where the owner was only present', async () => {
    const { device, user } = await withPasskey({ isSynced: false, isVerified: false });
    await enroll(world, user, app.id);
    const { body } = await send(app, answerOf(device, await options(app), ORIGIN));
    expect(body).toMatchObject({ totp_session: expect.anything() });
    expect(body).not.toHaveProperty('access_token');
  });

  it('set up no second factor alone where the owner was only present, and has a password', async () => {
    const { device, user } = await withPasskey({ isSynced: false, isVerified: false });
    await world.sql('UPDATE tenants SET require_2fa = true WHERE id = $1', [app.tenantId]);
    const refused = await send(app, answerOf(device, await options(app), ORIGIN));
    expect([refused.status, refused.body]).toEqual([403, { detail: 'Sign-in method not allowed' }]);
    await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    const asked = await send(app, answerOf(device, await options(app), ORIGIN));
    expect([asked.status, asked.body]).toMatchObject([403, { detail: { setup_token: expect.any(String) } }]);
    await world.sql('UPDATE tenants SET require_2fa = false WHERE id = $1', [app.tenantId]);
  });

  it('need an app that takes passkeys, a member, and a page of no other site', async () => {
    const without = await world.app(tenant);
    expect((await world.call('POST', '/auth/passkey/options', { app_id: without.id })).status).toBe(403);
    expect((await world.call('POST', '/auth/passkey/options', { app_id: tenant.id })).status).toBe(400);
    const { device } = await withPasskey({}, other);
    expect((await send(app, answerOf(device, await options(app), ORIGIN))).status).toBe(403);
    const crossSite = await fetch(`${world.baseUrl}/auth/passkey/options`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/json' },
      body: JSON.stringify({ app_id: app.id }),
    });
    expect(crossSite.status).toBe(403);
  });

  it('are named in the files that Android and Apple read, while the app is on', async () => {
    const links = async () => (await world.call<object[]>('GET', '/.well-known/assetlinks.json')).body;
    const statement = {
      relation: ['delegate_permission/common.get_login_creds'],
      target: {
        namespace: 'android_app',
        package_name: 'com.example.shop',
        sha256_cert_fingerprints: [FINGERPRINT],
      },
    };
    expect(await links()).toEqual([statement]);
    const association = await world.call('GET', '/.well-known/apple-app-site-association');
    expect(association.body).toEqual({ webcredentials: { apps: [APPLE] } });
    expect(association.headers.get('content-type')).toMatch(/^application\/json/);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false });
    expect(await links()).toEqual([]);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: true });
  });

  it('are added by platform admins only, because they reach the users of every tenant', async () => {
    const token = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    const put = (config: object) => world.call('PUT', `/admin/apps/${app.id}`, { config }, { token });
    expect((await put({ android_apps: [ANDROID], apple_app_ids: [APPLE], require_2fa: false })).status).toBe(200);
    for (const config of [{ apple_app_ids: ['ABCDE12345.evil'] }, { android_apps: [] }])
      expect((await put(config)).status).toBe(403);
    const body = {
      name: 'x',
      tenant_id: tenant.id,
      bundle_id: 'com.example.native',
      config: { apple_app_ids: [APPLE] },
    };
    expect((await world.call('POST', '/admin/apps', body, { token })).status).toBe(403);
    const imported = { tenant_id: tenant.id, app: { name: 'x', config: { apple_app_ids: [APPLE] } } };
    expect((await world.call('POST', '/admin/apps/import', imported, { token })).status).toBe(403);
    for (const config of [{ android_apps: ['com.example.shop'] }, { apple_app_ids: ['com.example.shop'] }]) {
      const wrong = await world.call('PUT', `/admin/apps/${app.id}`, { config }, { token: world.admin.token });
      expect(wrong.status).toBe(422);
    }
  });
});
