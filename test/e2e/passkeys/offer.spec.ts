import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicKeyCredentialCreationOptionsJSON } from 'nid-webauthn-emulator';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const QUESTION = 'Sign in faster next time?';

describe('Offer of a passkey after a sign-in', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: await passkeySettings() });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const tenant = await world.tenant({ offer_passkeys: true });
    app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const signIn = async (user: TestUser, at = app, browser = new HostedBrowser(world.baseUrl)) => ({
    browser,
    page: await browser.signIn(loginPath(at, { prompt: 'login' }), user.email, user.password),
  });
  const begun = async () => {
    const user = await world.user(app);
    const { browser, page } = await signIn(user);
    expect(page.body).toContain(QUESTION);
    const step = await SignInPage.open(browser, /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0]);
    const options = (await step.options('offer_passkey')) as unknown as PublicKeyCredentialCreationOptionsJSON;
    return { user, browser, page, step, options };
  };
  const passkeysOf = (user: TestUser) => world.sql('SELECT id FROM passkeys WHERE user_id = $1', [user.id]);

  it('creates one on the way to the app, also without a touch, and is mailed and audited', async () => {
    const { user, step, options } = await begun();
    const device = new TestAuthenticator(world.baseUrl, { isPresent: false, isVerified: false });
    const done = await step.send(device.create(options), 'offer_passkey');
    expect((await step.browser.get(done.location!)).location).toMatch(`${app.redirectUri}?code=`);
    expect(await passkeysOf(user)).toHaveLength(1);
    const entries = await world.sql(
      "SELECT actor_id FROM audit_entries WHERE action = 'passkey.added' AND user_id = $1",
      [user.id],
    );
    expect(entries).toEqual([{ actor_id: user.id }]);
    expect((await signIn(user)).page.delivered.get('code')).not.toBeNull();
  });

  it('is not made again for 30 days after “Not now”', async () => {
    const { user, browser, page } = await begun();
    expect((await browser.submit(page, {})).location).toMatch(`${app.redirectUri}?code=`);
    expect((await signIn(user)).page.delivered.get('code')).not.toBeNull();
    await world.sql("UPDATE passkey_offers SET declined_at = now() - interval '31 days' WHERE user_id = $1", [user.id]);
    expect((await signIn(user)).page.body).toContain(QUESTION);
  });

  it('takes only an answer to its own challenge, and the sign-in goes on without one', async () => {
    const [one, other] = [await begun(), await begun()];
    const foreign = new TestAuthenticator(world.baseUrl).create(other.options);
    expect((await one.step.send(foreign, 'offer_passkey')).status).toBe(400);
    expect((await one.step.send('{}', 'offer_passkey')).status).toBe(400);
    expect(await passkeysOf(one.user)).toEqual([]);
    expect((await one.browser.submit(one.page, {})).location).toMatch(/code=/);
  });

  it('is made only by tenants that want it, at apps with passkeys, right after a password', async () => {
    const plain = await world.app(await world.tenant(), { config: { allowed_providers: ['password', 'passkey'] } });
    const without = await world.app({ id: app.tenantId, name: '', consoleAppId: '' });
    for (const at of [plain, without])
      expect((await signIn(await world.user(at), at)).page.delivered.get('code')).not.toBeNull();
    const { user, browser, page } = await begun();
    await browser.submit(page, {});
    await world.sql('DELETE FROM passkey_offers WHERE user_id = $1', [user.id]);
    expect((await browser.get(loginPath(app))).location).toMatch(/code=/);
    const silent = await browser.get(loginPath(app, { prompt: 'none' }));
    expect(silent.delivered.get('code')).not.toBeNull();
    const late = await begun();
    await world.sql("UPDATE sign_in_attempts SET auth_time = auth_time - interval '6 minutes' WHERE user_id = $1", [
      late.user.id,
    ]);
    const { status } = await late.browser.post(`${late.step.path}/offer_passkey/options`, {
      form_token: late.page.formToken(),
    });
    expect(status).toBe(400);
  });
});
