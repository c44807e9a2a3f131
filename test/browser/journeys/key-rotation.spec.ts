import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Browser } from 'playwright-core';
import { Clock } from '../../../src/common/clock.js';
import { openBrowser } from '../../support/chromium.js';
import { FakeClock } from '../../support/fake-clock.js';
import { loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type ListeningApp, startListeningApp } from '../../support/listening-app.js';
import { expectGoodAppearance } from '../../support/page-appearance.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { Visitor } from '../../support/visitor.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

const HOUR = 3_600;

describe('Signing key rotation in the Console', () => {
  let clock: FakeClock;
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let shop: ListeningApp;
  let browser: Browser;
  let app: TestClient;
  let user: TestUser;
  let admin: Visitor;
  let before: string;

  beforeAll(async () => {
    clock = new FakeClock();
    [database, shop, browser] = await Promise.all([freshDatabase(), startListeningApp(), openBrowser()]);
    service = await startTestApp({
      settings: { databaseUrl: database.url },
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    clock.advance(60); // past the first key's activation time, which the database's clock set
    world = await World.open(service.baseUrl, database.url);
    const config = { token_lifetime_minutes: 1440, redirect_uris: [shop.redirectUri] };
    app = { ...(await world.app(await world.tenant(), { name: 'Shop', config })), redirectUri: shop.redirectUri };
    user = await world.user(app);
    admin = await Visitor.arrive(browser);
    await admin.open(`${service.baseUrl}/console/`);
    await admin.signIn(world.admin);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
    await Promise.all([shop.close(), database.drop()]);
  });

  const keySet = async () => (await world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;
  const kidOf = (token: string) => readJwt(token).header['kid'] as string;
  /** Verifies a token with only the key set, as an app's server does. */
  const verifies = (token: string, keys: JSONWebKeySet) =>
    jwtVerify(token, createLocalJWKSet(keys), {
      issuer: world.baseUrl,
      audience: app.id,
      currentDate: clock.now(),
    }).then(
      () => true,
      () => false,
    );
  /** A sign-in on the hosted page; the app's server redeems the code. */
  const signIn = async () => {
    const visitor = await Visitor.arrive(browser);
    await visitor.open(`${service.baseUrl}${loginPath(app)}`);
    await visitor.signIn(user);
    const code = new URL(visitor.page.url()).searchParams.get('code');
    const answer = await world.call<Tokens>('POST', '/token/exchange', {
      app_id: app.id,
      client_secret: app.secret,
      redirect_uri: app.redirectUri,
      code,
    });
    expect([answer.status, visitor.page.url()]).toEqual([200, expect.stringContaining('/callback?code=')]);
    return answer.body.access_token;
  };

  it('starts with one key that signs every token', async () => {
    before = await signIn();
    await admin.navigate('Keys');
    expect(await admin.text()).toMatch(/SIGNING Signs every token/i);
    expect(await admin.text()).toContain(kidOf(before));
    await expectGoodAppearance(admin.page, 'keys');
  });

  it('publishes a second key after a confirmation', async () => {
    await admin.follow('Rotate key…');
    expect(await admin.heading()).toBe('Rotate the signing key?');
    await expectGoodAppearance(admin.page, 'rotate?');
    await admin.press('Rotate key');
    expect(await admin.notice()).toBe('The new key is published. It starts signing in an hour.');
    await expectGoodAppearance(admin.page, 'two keys');
    expect((await keySet()).keys).toHaveLength(2);
    expect(kidOf(await signIn())).toBe(kidOf(before));
  });

  it('makes the second key sign after an hour, and tokens of both keys verify with the new key set', async () => {
    clock.advance(HOUR + 120);
    const after = await signIn();
    expect(kidOf(after)).not.toBe(kidOf(before));
    const keys = await keySet();
    expect([await verifies(after, keys), await verifies(before, keys)]).toEqual([true, true]);
    const alone = { keys: keys.keys.filter(({ kid }) => kid !== kidOf(before)) };
    expect([await verifies(after, alone), await verifies(before, alone)]).toEqual([true, false]);
  });

  it('replaces a leaked key at once after the operator typed the confirmation', async () => {
    const leaked = await signIn();
    await admin.navigate('Keys');
    expect(await admin.text()).toMatch(/RETIRED Tokens that it signed are accepted until/i);
    await admin.follow('Rotate key now…');
    // On the clock of this test the sign-in is more than an hour old.
    expect(await admin.heading()).toBe('Confirm it’s you');
    await admin.press('Sign in again');
    await admin.signIn(world.admin);
    expect(await admin.page.getByRole('button', { name: 'Rotate key now', exact: true }).isDisabled()).toBe(true);
    await expectGoodAppearance(admin.page, 'rotate at once?');
    await admin.fill({ Confirmation: 'rotate at once' });
    await admin.press('Rotate key now');
    expect(await admin.notice()).toBe('The new key is active. Tokens signed by the old keys are no longer accepted.');
    const keys = await keySet();
    expect(keys.keys).toHaveLength(1);
    expect([await verifies(leaked, keys), await verifies(await signIn(), keys)]).toEqual([false, true]);
  });
});
