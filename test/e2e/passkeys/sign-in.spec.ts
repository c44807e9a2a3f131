import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomInt } from 'node:crypto';
import { expectOne } from '../../support/judged.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import {
  addPasskey,
  altered,
  passkeySettings,
  SignInPage,
  TestAuthenticator,
  type Traits,
} from '../../support/passkeys.js';
import { enroll } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const SYNCED: Traits = {};
const DEVICE_BOUND: Traits = { isSynced: false };
const PRESENCE_ONLY: Traits = { isSynced: false, isVerified: false };

describe('Sign-in with a passkey', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let demanding: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: await passkeySettings() });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const config = { allowed_providers: ['password', 'magic_link', 'passkey'] };
    app = await world.app(tenant, { config });
    demanding = await world.app(tenant, { config: { ...config, require_2fa: true } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const withPasskey = async (traits: Traits = SYNCED, at = app) => {
    const user = await world.user(at);
    const device = new TestAuthenticator(world.baseUrl, traits);
    const account = await addPasskey(world, user, device);
    return { user, device, account };
  };
  const open = (at = app, parameters = {}) =>
    SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(at, parameters));
  const amrOf = async (at: TestClient, code: string) => {
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: at.id });
    return readJwt(body.access_token).payload['amr'];
  };
  const refusedAudits = (user: TestUser) =>
    world.sql("SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'passkey.refused' ORDER BY ordinal", [
      user.id,
    ]);

  it('gives a code without an address, and says what it was: two factors', async () => {
    const { device, user } = await withPasskey();
    const page = await open();
    const end = await page.use(device);
    expect(end.location).toMatch(`${app.redirectUri}?code=`);
    expect(await amrOf(app, end.delivered.get('code')!)).toEqual(['swk', 'user', 'mfa']);
    const entries = await world.sql<{ metadata: object }>(
      "SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'user.login' AND app_id = $2",
      [user.id, app.id],
    );
    expect(entries.map(({ metadata }) => metadata)).toEqual([{ via: 'hosted', amr: ['swk', 'user', 'mfa'] }]);
    // The session of this browser is enough for the next app.
    const next = await page.browser.get(loginPath(demanding, { prompt: 'none' }));
    expect(next.delivered.get('error')).toBe('registration_closed');
  });

  it('satisfies require_2fa, and asks no user who has an authenticator app for a code', async () => {
    const { user, device } = await withPasskey(SYNCED, demanding);
    const end = await (await open(demanding)).use(device);
    expect(end.location).toMatch(`${demanding.redirectUri}?code=`);
    await enroll(world, user, demanding.id).catch(() => null);
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [user.id]);
    expect((await (await open(demanding)).use(device)).location).toMatch(`${demanding.redirectUri}?code=`);
  });

  it('counts as one factor where the owner was only present: the second one is still asked for', async () => {
    const plain = await withPasskey(PRESENCE_ONLY);
    const end = await (await open()).use(plain.device);
    expect(await amrOf(app, end.delivered.get('code')!)).toEqual(['hwk', 'user']);
    const missing = await withPasskey(PRESENCE_ONLY, demanding);
    const begins = await (await open(demanding)).use(missing.device);
    expect(begins.body).toContain('Sign in with your password or a link by e-mail first, then use your passkey');
    const { user, device } = await withPasskey(PRESENCE_ONLY);
    await enroll(world, user, app.id);
    const asked = await (await open()).use(device);
    expect([asked.status, asked.body.includes('id="code"')]).toEqual([200, true]);
  });

  it('is counted in the metrics, and so are answers that prove nothing and new passkeys', async () => {
    const read = async () => {
      const { text } = await service.http.get('/metrics');
      const valueOf = (series: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`identity_passkey_ceremonies_total{${series}} `))
            ?.split(' ')[1] ?? 0,
        );
      return {
        added: valueOf('ceremony="registration",outcome="success"'),
        used: valueOf('ceremony="sign_in",outcome="success"'),
        replayed: valueOf('ceremony="sign_in",outcome="challenge"'),
      };
    };
    const before = await read();
    const { device } = await withPasskey();
    const page = await open();
    const answer = device.get(await page.options());
    expect([(await page.send(answer)).status, (await page.send(answer)).status]).toEqual([303, 303]);
    const other = await open();
    expect((await other.send(answer)).status).toBe(401);
    const { added, used, replayed } = await read();
    expect([added - before.added, used - before.used, replayed - before.replayed]).toEqual([1, 1, 1]);
  });

  it('is fresh for prompt=login and max_age', async () => {
    const { device } = await withPasskey();
    const { browser } = await open();
    await (await SignInPage.open(browser, loginPath(app))).use(device);
    for (const [name, value] of Object.entries({ prompt: 'login', max_age: '0' })) {
      const page = await SignInPage.open(browser, loginPath(app, { [name]: value }));
      expect((await page.use(device)).location).toMatch(`${app.redirectUri}?code=`);
    }
  });

  it('is offered only where the app takes passkeys', async () => {
    const other = await world.app(tenant);
    const page = await new HostedBrowser(world.baseUrl).get(loginPath(other));
    expect(page.body).not.toContain('data-passkey-get');
    const action = page.formAction().replace(/\/password$/, '/passkey');
    expect((await open()).page.body).toContain('autocomplete="username webauthn"');
    const browser = new HostedBrowser(world.baseUrl);
    const closed = await browser.get(loginPath(other));
    const form_token = closed.formToken();
    const path = closed.formAction().replace(/\/password$/, '/passkey');
    expect((await browser.post(`${path}/options`, { form_token })).status).toBe(400);
    const { device } = await withPasskey();
    const credential = device.get(await (await open()).options());
    expect((await browser.post(path, { form_token, credential })).location).toBe(path.replace('/passkey', ''));
    expect(action).toContain('/passkey');
  });

  it('says nothing about an address: unknown, with an account, with a passkey', async () => {
    const { user } = await withPasskey();
    const { email: without } = await world.user(app);
    const answers = [];
    for (const email of [`unknown-${user.id}@example.com`, without, user.email]) {
      const plain = ({ status, body }: HostedAnswer) => ({
        status,
        body: body
          .replaceAll(email, 'ADDRESS')
          .replaceAll(/(nonce|name="form_token" value)="[^"]+"/g, '$1')
          .replaceAll(/[0-9a-f-]{36}/g, 'ID'),
      });
      const page = await open(app, { login_hint: email });
      const form_token = page.page.formToken();
      const asked = await page.browser.post(`${page.path}/passkey/options`, { form_token, email });
      const options = { ...(JSON.parse(asked.body) as object), challenge: '' };
      const wrong = await page.browser.submit(page.page, { email, password: 'not the right one' });
      answers.push({ page: plain(page.page), status: asked.status, options, wrong: plain(wrong) });
    }
    expect(answers[0]).toMatchObject({ status: 200, wrong: { status: 401 } });
    expect(answers[0]!.options).toEqual({
      challenge: '',
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [],
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('takes an answer of this browser and attempt only, once, from our origin and RP ID', async () => {
    const { device } = await withPasskey();
    const [mine, theirs] = [await open(), await open()];
    const foreign = device.get(await theirs.options());
    expect((await mine.send(foreign)).status).toBe(401);
    const answer = device.get(await mine.options());
    const answers = await Promise.all(Array.from({ length: 6 }, () => mine.send(answer)));
    expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1);
    const page = await open();
    expect((await page.send(device.get(await page.options(), 'http://localhost:1'))).status).toBe(401);
    const otherParty = device.signed(device.get(await page.options()), (data) => data.fill(7, 0, 32));
    expect((await page.send(otherParty)).status).toBe(401);
    const claimed = altered(device.get({ ...(await page.options()) }), ({ authenticatorData }) => {
      const data = Buffer.from(authenticatorData!, 'base64url');
      data[0]! ^= 1;
      return { authenticatorData: data.toString('base64url') };
    });
    expect((await page.send(claimed)).status).toBe(401);
    const unsigned = altered(device.get(await page.options()), ({ authenticatorData }) => {
      const data = Buffer.from(authenticatorData!, 'base64url');
      data.writeUInt32BE(9_999, 33); // only the count: everything else is right
      return { authenticatorData: data.toString('base64url') };
    });
    expect((await page.send(unsigned)).status).toBe(401);
    expect((await page.use(device)).location).toMatch(/code=/);
  });

  it('is refused with a handle of another user, without one, and for an account that is switched off', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()];
    const page = await open();
    const handleOf = (credential: string) =>
      (JSON.parse(credential) as { response: { userHandle: string } }).response.userHandle;
    const foreign = handleOf(other.device.get(await page.options()));
    for (const userHandle of [foreign, undefined, '']) {
      const credential = altered(one.device.get(await page.options()), () => ({ userHandle }));
      expect((await page.send(credential)).status).toBe(401);
    }
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [one.user.id]);
    expect((await page.send(one.device.get(await page.options()))).status).toBe(401);
  });

  it('is refused and audited where the counter of a device goes back or stands still', async () => {
    const { user, device } = await withPasskey(DEVICE_BOUND);
    expect((await (await open()).use(device)).location).toMatch(/code=/);
    device.count--;
    expect((await (await open()).use(device)).status).toBe(401);
    device.count = 0;
    await world.sql('UPDATE passkeys SET sign_count = 1000 WHERE user_id = $1', [user.id]);
    expect((await (await open()).use(device)).status).toBe(401);
    expect(await refusedAudits(user)).toMatchObject([
      { metadata: { reason: 'counter', stored: 1, received: 1 } },
      { metadata: { reason: 'counter', stored: 1000, received: 1 } },
    ]);
    // The flag that says whether it is synced is signed, and stays what it was.
    const page = await open();
    const pretended = device.signed(device.get(await page.options()), (data) => void (data[32]! |= 24));
    expect((await page.send(pretended)).status).toBe(401);
  });

  it('does not look at the counter of synced passkeys, nor of devices that do not count', async () => {
    const synced = await withPasskey();
    await world.sql('UPDATE passkeys SET sign_count = 1000 WHERE user_id = $1', [synced.user.id]);
    const still = await withPasskey({ ...DEVICE_BOUND, counts: false });
    for (const { device } of [synced, still, synced, still])
      expect((await (await open()).use(device)).location).toMatch(/code=/);
    expect(await refusedAudits(synced.user)).toEqual([]);
  });

  it('counts one use of a device where several come at once with the same count', async () => {
    const { device } = await withPasskey(DEVICE_BOUND);
    const pages = await Promise.all(Array.from({ length: 4 }, () => open()));
    const answers: string[] = [];
    for (const page of pages) {
      device.count = 6;
      answers.push(device.get(await page.options()));
    }
    const sent = await Promise.all(pages.map((page, each) => page.send(answers[each]!)));
    expectOne(sent, { won: 303, refused: 401 });
  });

  it('ends with the removal of the passkey, also where the sign-in has begun', async () => {
    const { user, device } = await withPasskey(PRESENCE_ONLY);
    await enroll(world, user, app.id);
    const page = await open();
    expect((await page.use(device)).body).toContain('id="code"');
    await world.sql('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [user.id]);
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [user.id]);
    expect((await page.browser.get(page.path)).body).toContain('data-passkey-get');
    expect((await (await open()).use(device)).status).toBe(401);
  });

  it('survives a password reset and a suspension elsewhere, and gives no way around either', async () => {
    const { user, device } = await withPasskey();
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect((await (await open()).use(device)).delivered.get('error')).toBe('account_suspended');
    expect(await world.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [user.id])).toHaveLength(1);
  });

  it('leads to the account page, and works as the only method of an app', async () => {
    const only = await world.app(tenant, { config: { allowed_providers: ['passkey'] } });
    const { user, device } = await withPasskey(SYNCED, app);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: only.id, roles: ['user'] });
    const page = await open(only);
    expect(page.page.body).toContain('Sign in with a passkey');
    expect(page.page.body).not.toContain('type="password"');
    expect((await page.use(device)).location).toMatch(`${only.redirectUri}?code=`);
    // A session by password is none for this app.
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const again = await browser.get(loginPath(only));
    expect(again.body).toContain('Sign in again with a passkey');
    const home = await SignInPage.open(new HostedBrowser(world.baseUrl), '/account/sign-in?any=1');
    expect((await home.use(device)).location).toBe(`${world.baseUrl}/account`);
    const check = await world.asAdmin<{ rules: { rule: string; verdict: string }[] }>(
      'GET',
      `/admin/users/${user.id}/access-check?app_id=${only.id}`,
    );
    expect(check.rules).toContainEqual(expect.objectContaining({ rule: 'passkey', verdict: 'pass' }));
  });

  it('never answers hostile credentials with a server error', async () => {
    const { device } = await withPasskey();
    const page = await open();
    const good = JSON.parse(device.get(await page.options())) as { response: Record<string, string> };
    const statuses = new Set<number>();
    for (let round = 0; round < 60; round++) {
      const { challenge } = await page.options();
      const data = Buffer.from(good.response['authenticatorData']!, 'base64url');
      for (let times = 0; times < 3; times++) data[randomInt(data.length)] = randomInt(256);
      const cut = data.subarray(0, randomInt(8) === 0 ? randomInt(data.length) : data.length);
      const clientDataJSON = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: world.baseUrl }));
      const credential = altered(JSON.stringify(good), () => ({
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: cut.toString('base64url') || 'AA',
        signature: randomBytes(1 + randomInt(100)).toString('base64url'),
      }));
      statuses.add((await page.send(credential)).status);
    }
    for (const credential of [
      '',
      '{}',
      'null',
      '{"type":"public-key","id":"AAAA","response":{"clientDataJSON":"e30"}}',
    ])
      statuses.add((await page.send(credential)).status);
    expect([...statuses]).toEqual([401]);
  });

  it('is reported to the password manager as unknown once it was removed, and not while its user is switched off', async () => {
    const { user, device } = await withPasskey();
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    const suspended = await (await open()).use(device);
    expect([suspended.status, suspended.body.includes('data-passkey-unknown')]).toEqual([401, false]);
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [user.id]);
    expect((await (await open()).use(device)).body).toMatch(
      /data-passkey-unknown="[\w-]+" data-passkey-rp-id="localhost"/,
    );
  });
});
