import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { registrationOptions, sendPasskey, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { type FakeProviders, startFakeProviders } from '../../support/fake-providers.js';
import { follow, providerUser, startPath, signInAtProvider } from '../../support/provider-sign-in.js';
import { forgetSteps, sessionsAndTokens } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

const PROVIDERS = ['google', 'microsoft', 'github', 'apple'] as const;

// security 17
describe('Second factor after an external provider', () => {
  let rig: FakeProviders;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    rig = await startFakeProviders('localhost');
    const { port, baseUrl, providers } = rig;
    service = await startTestApp({ settings: { port, baseUrl, providers } });
    world = await World.open(baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: PROVIDERS } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await rig.close();
  });

  const signInAt = (provider: (typeof PROVIDERS)[number]) => {
    const user = providerUser();
    if (provider !== 'github') return rig[provider].signInAs(user);
    const id = Math.floor(Math.random() * 2 ** 40) + 1;
    const emails = [{ email: user.email, primary: true, verified: true }];
    rig.github.signInAs({ id, login: 'ada', name: 'Ada Lovelace', emails });
  };
  const returnFromProvider = async (provider: (typeof PROVIDERS)[number], browser: HostedBrowser) =>
    follow(browser, await signInAtProvider(browser, rig.baseUrl, startPath(provider, app)));

  it.each(PROVIDERS)('%s is required before anything is issued', async (provider) => {
    signInAt(provider);
    const own = new HostedBrowser(rig.baseUrl);
    const first = await returnFromProvider(provider, own);
    const code = first.delivered.get('code');
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: app.id });
    const session = { headers: { Cookie: `sso=${own.cookie('sso')}` } };
    const setup = await world.call<{ secret: string }>('POST', '/account/totp/setup', {}, session);
    const confirm = { code: codeAt(setup.body.secret) };
    expect((await world.call('POST', '/account/totp/confirm', confirm, session)).status).toBe(200);
    const user = { id: decodeJwt(body.access_token).sub! };
    await forgetSteps(world, user);
    const before = await sessionsAndTokens(world, user);

    const browser = new HostedBrowser(rig.baseUrl);
    const asked = await returnFromProvider(provider, browser);
    expect([asked.status, asked.location]).toEqual([200, null]);
    expect(asked.body).toContain('six digits');
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await sessionsAndTokens(world, user)).toEqual(before);
    const done = await browser.submit(asked, { code: codeAt(setup.body.secret) });
    expect(done.delivered.get('code')).not.toBeNull();
    expect(browser.cookie('sso')).toBeDefined();
  });

  it('may be a passkey', async () => {
    const config = { allowed_providers: ['google'], require_2fa: true };
    const demanding = await world.app(await world.tenant(), { registration_policy: 'open', config });
    signInAt('google');
    const own = new HostedBrowser(rig.baseUrl);
    expect((await returnFromProvider('google', own)).delivered.get('code')).not.toBeNull();
    const device = new TestAuthenticator(rig.baseUrl, { isSynced: false, isVerified: false });
    const added = await sendPasskey(own, device.create(await registrationOptions(own)));
    expect(added.location).toBe('/account?done=passkey-added');

    const browser = new HostedBrowser(rig.baseUrl);
    const asked = await follow(browser, await signInAtProvider(browser, rig.baseUrl, startPath('google', demanding)));
    expect(asked.body).toContain('Confirm with your passkey');
    expect([asked.status, asked.location]).toEqual([200, null]);
    const page = await SignInPage.open(browser, /\/sign-in\/[0-9a-f-]{36}/.exec(asked.body)![0]);
    const joining = await page.use(device, 'second_factor');
    const code = (await browser.submit(joining, {})).delivered.get('code');
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: demanding.id });
    expect(decodeJwt(body.access_token)['amr']).toEqual(expect.arrayContaining(['hwk', 'user', 'mfa']));
  });
});
