import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, visitAccount } from '../../support/account-visitor.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { routesOf, withStars } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, type TestClient, World } from '../../support/world.js';

/** Every form of the account pages, with fields that would be taken. */
const FORMS: Readonly<Record<string, Record<string, string>>> = {
  '/account/profile': { display_name: 'Somebody Else' },
  '/account/verification': {},
  '/account/password': { current_password: PASSWORD, new_password: 'an entirely new secret' },
  '/account/email': { email: 'other@example.com' },
  '/account/email/confirm': { code: '123456' },
  '/account/email/cancel': {},
  '/account/delete': { email: 'other@example.com' },
  '/account/delete/cancel': {},
  '/account/first-password': { new_password: 'an entirely new secret' },
  '/account/second-factor': { code: '123456' },
  '/account/second-factor/remove': { code: '123456' },
  '/account/second-factor/codes': { code: '123456' },
  '/account/passkeys': { credential: '{}' },
  '/account/passkeys/options': {},
  '/account/passkeys/{id}': { name: 'Phone' },
  '/account/passkeys/{id}/remove': {},
  '/account/passkey-recovery/stop': {},
  '/account/sessions/{id}/end': {},
  '/account/sessions/end-others': {},
  '/account/apps/{id}/end': {},
  '/account/apps/{id}/leave': {},
  '/account/apps/{id}/consent/revoke': {},
  '/account/linked-accounts/{id}/remove': {},
  '/account/push-devices/{id}/remove': {},
  '/account/export': {},
  '/account/sign-out': {},
};
/** They ask for the password or a code, change a text, or take nothing away from another browser. */
const WITHOUT_RECENT_SIGN_IN = [
  '/account/profile',
  '/account/verification',
  '/account/password',
  '/account/email/confirm',
  '/account/email/cancel',
  '/account/delete/cancel',
  '/account/passkeys/{id}',
  '/account/passkey-recovery/stop',
  '/account/sign-out',
  '/account/first-password', // for accounts without a password
];
/**
 * The JSON endpoints under /account/: they take a bearer token or a cookie, OwnOriginGuard guards them, and other tests
 * cover them.
 */
const JSON_ROUTES = [
  '/account/set-password',
  '/account/totp/setup',
  '/account/totp/confirm',
  '/account/totp/disable',
  '/account/backup-codes',
];

// security 8, 47
describe('Account page forms', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  it('includes every POST route under /account/ in this test’s list', () => {
    const posts = routesOf(service.nest).filter((route) => /^POST \/account\//.test(route));
    const listed = [...Object.keys(FORMS), ...JSON_ROUTES].map((path) => `POST ${withStars(path)}`);
    expect(posts.sort()).toEqual(listed.sort());
  });

  it.each(Object.keys(FORMS).filter((path) => !WITHOUT_RECENT_SIGN_IN.includes(path)))(
    '%s requires a sign-in from the last five minutes',
    async (path) => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ageSignIns(world, user.id, 301);
      const form_token = (await browser.get('/account')).formToken();
      const answer = await browser.post(path.replace('{id}', randomUUID()), { ...FORMS[path], form_token });
      expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/account/sign-in?')]);
    },
  );

  describe.each(Object.entries(FORMS))('%s', (pattern, fields) => {
    const path = pattern.replace('{id}', randomUUID());

    it('returns 403 and changes nothing without the form token, with another user’s token or from another site', async () => {
      const [user, other] = [await world.user(app), await world.user(app)];
      const browser = await visitAccount(world, user);
      const foreign = (await (await visitAccount(world, other)).get('/account')).formToken();
      const token = (await browser.get('/account')).formToken();
      // So that no request updates last_seen_at between the two fingerprints.
      await world.sql("UPDATE sso_sessions SET last_seen_at = now() + interval '1 hour'");
      const before = await databaseFingerprint(world);
      const refused: [Record<string, string>, Record<string, string>][] = [
        [fields, {}],
        [{ ...fields, form_token: '' }, {}],
        [{ ...fields, form_token: foreign }, {}],
        [{ ...fields, form_token: token }, { Origin: 'https://evil.example' }],
        [{ ...fields, form_token: token }, { 'Sec-Fetch-Site': 'cross-site' }],
        [{ ...fields, form_token: token }, { 'Sec-Fetch-Site': 'same-site' }],
      ];
      for (const [sent, headers] of refused) expect((await browser.post(path, sent, headers)).status).toBe(403);
      expect(await databaseFingerprint(world)).toEqual(before);
    });

    it('returns 403 for the form token of a user who used this browser earlier', async () => {
      const [user, before] = [await world.user(app), await world.user(app)];
      const browser = await visitAccount(world, before);
      const theirs = (await browser.get('/account')).formToken();
      browser.setCookie('sso', (await visitAccount(world, user)).cookie('sso')!);
      expect((await browser.post(path, { ...fields, form_token: theirs })).status).toBe(403);
    });

    it('redirects to the sign-in and changes nothing without a valid session', async () => {
      const browser = await visitAccount(world, await world.user(app));
      const token = (await browser.get('/account')).formToken();
      browser.setCookie('sso', 'y'.repeat(43));
      const before = await databaseFingerprint(world);
      for (const visitor of [browser, new HostedBrowser(world.baseUrl)]) {
        const answer = await visitor.post(path, { ...fields, form_token: token });
        expect([answer.status, answer.location]).toEqual([303, '/account/sign-in']);
      }
      expect(await databaseFingerprint(world)).toEqual(before);
    });
  });
});
