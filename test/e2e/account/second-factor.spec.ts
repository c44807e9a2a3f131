import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { codeAt, nextCode, wrongCode } from '../../support/authenticator.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { type TestUser, type TestClient, type World } from '../../support/world.js';

const PLACE = '/account/second-factor';

describe('Second factor on the account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant());
  });

  afterAll(() => mailing.close());

  const secretOn = ({ body }: HostedAnswer) =>
    /<p class="secret"[^>]*>([\s\S]*?)<\/p>/.exec(body)![1]!.replace(/<[^>]*>|\s/g, '');
  const codesOn = ({ body }: HostedAnswer) => [...body.matchAll(/<li><code>([^<]+)</g)].map((match) => match[1]!);
  const send = (browser: HostedBrowser, path: string, code: string) => sendForm(browser, path, { code });
  const actions = async (user: TestUser) =>
    (
      await world.sql<{ action: string }>(
        "SELECT action FROM audit_entries WHERE user_id = $1 AND action ~ '^(totp|backup_code)' ORDER BY created_at",
        [user.id],
      )
    ).map(({ action }) => action);

  const setUp = async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const secret = secretOn(await browser.get(PLACE));
    const shown = await send(browser, PLACE, codeAt(secret));
    expect(shown.status).toBe(200);
    return { user, browser, secret, codes: codesOn(shown), shown };
  };

  // security 18
  it('is set up with a QR code, a secret that stays the same and a code, and shows backup codes once', async () => {
    const user = await world.user(app);
    const [browser, other] = [await visitAccount(world, user), await visitAccount(world, user)];
    const page = await browser.get(PLACE);
    const secret = secretOn(page);
    expect(page.body).toMatch(/<img class="qr" src="data:image\/svg\+xml;base64,/);
    expect(/<p class="secret"[^>]*>([\s\S]*?)<\/p>/.exec(page.body)![1]).toMatch(/<span>[A-Z2-7]{4}<\/span> <span>/);
    expect(secretOn(await browser.get(PLACE))).toBe(secret);
    const wrong = await send(browser, PLACE, wrongCode(secret));
    expect([wrong.status, wrong.body.includes('field-error'), secretOn(wrong)]).toEqual([401, true, secret]);
    expect((await world.login(user, app.id)).body).not.toHaveProperty('status');
    expect(wordsOf(await browser.get('/account'))).toContain('Authenticator app Off Asks for a code');
    const before = browser.cookie('sso');
    const shown = await send(browser, PLACE, codeAt(secret));
    expect(codesOn(shown)).toHaveLength(10);
    const file = decodeURIComponent(/href="data:text\/plain;charset(?:=|&#x3D;)utf-8,([^"]+)"/.exec(shown.body)![1]!);
    expect(file).toBe(`Backup codes of ${user.email}\nEach code works once.\n\n${codesOn(shown).join('\n')}\n`);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(browser.cookie('sso')).not.toBe(before);
    // This browser has passed the second factor, the other one has not.
    expect(wordsOf(await browser.get('/account?done=second-factor-on'))).toContain('Your authenticator app is set up.');
    expect(wordsOf(await browser.get('/account'))).toContain('10 backup codes are left.');
    expect((await other.get('/account')).location).toBe('/account/sign-in');
    expect((await world.login(user, app.id)).body).toMatchObject({ status: 'totp_required' });
    expect(await actions(user)).toEqual(['totp.failed', 'totp.enabled']);
    await mailing.smtp.next(user.email, /second factor/i);
    const again = await browser.get(PLACE);
    expect([again.status, again.location]).toEqual([302, '/account']);
  });

  it('is removed with a TOTP code', async () => {
    const { user, browser, secret } = await setUp();
    const form = await browser.get(`${PLACE}/remove`);
    expect(wordsOf(form)).toContain('You can then sign in with only a password or a link.');
    const wrong = await send(browser, `${PLACE}/remove`, wrongCode(secret));
    expect([wrong.status, wrong.body.includes('field-error')]).toEqual([401, true]);
    const done = await send(browser, `${PLACE}/remove`, nextCode(secret));
    expect([done.status, done.location]).toEqual([303, '/account?done=second-factor-off']);
    expect(await actions(user)).toEqual(['totp.enabled', 'totp.failed', 'totp.disabled']);
    expect((await world.login(user, app.id)).body).toHaveProperty('access_token');
    expect((await browser.get(`${PLACE}/remove`)).location).toBe('/account');
  });

  it('is removed with a backup code', async () => {
    const { user, browser, codes } = await setUp();
    expect((await send(browser, `${PLACE}/remove`, codes[3]!)).location).toBe('/account?done=second-factor-off');
    expect(await actions(user)).toEqual(['totp.enabled', 'backup_code.used', 'totp.disabled']);
  });

  // security 16
  it('replaces the backup codes, and the old ones stop working', async () => {
    const { user, browser, secret, codes } = await setUp();
    const shown = await send(browser, `${PLACE}/codes`, nextCode(secret));
    const fresh = codesOn(shown);
    expect(fresh).toHaveLength(10);
    expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
    expect(await actions(user)).toEqual(['totp.enabled', 'backup_code.regenerated']);
    expect((await send(browser, `${PLACE}/remove`, codes[0]!)).status).toBe(401);
    expect((await send(browser, `${PLACE}/remove`, fresh[0]!)).status).toBe(303);
  });

  // security 13
  it('returns 429 after five wrong codes', async () => {
    const { browser, secret } = await setUp();
    for (let tries = 0; tries < 5; tries++) await send(browser, `${PLACE}/remove`, wrongCode(secret));
    const limited = await send(browser, `${PLACE}/remove`, nextCode(secret));
    expect([limited.status, wordsOf(limited).includes('Too many wrong codes. Wait 15 minutes')]).toEqual([429, true]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  // security 18
  it('asks for a new sign-in if the last one is older than five minutes, and returns to the same page after it', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const secret = secretOn(await browser.get(PLACE));
    await ageSignIns(world, user.id, 301);
    const late = await send(browser, PLACE, nextCode(secret));
    expect([late.status, late.location]).toEqual([303, '/account/sign-in?fresh=1&to=second-factor']);
    const page = await browser.get(PLACE);
    expect([page.status, page.location]).toEqual([302, '/account/sign-in?fresh=1&to=second-factor']);
    const end = await browser.signIn(page.location!, user.email, user.password);
    expect(end.location).toBe(`${world.baseUrl}${PLACE}`);
    expect((await browser.get(PLACE)).status).toBe(200);
    expect(await actions(user)).toEqual([]);

    const { user: other, browser: theirs, secret: held } = await setUp();
    await ageSignIns(world, other.id, 301);
    for (const place of ['remove', 'codes']) {
      const path = `/account/sign-in?fresh=1&to=${encodeURIComponent(`second-factor/${place}`)}`;
      expect((await theirs.get(`${PLACE}/${place}`)).location).toBe(path);
      expect((await send(theirs, `${PLACE}/${place}`, nextCode(held))).location).toBe(path);
    }
    expect(await actions(other)).toEqual(['totp.enabled']);
  });

  it('redirects after the sign-in only to account pages', async () => {
    const user = await world.user(app);
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '../console/',
      'second-factor/../../console',
      'sign-out',
    ]) {
      const browser = await visitAccount(world, user);
      const end = await browser.get(`/account/sign-in?to=${encodeURIComponent(to)}`);
      expect(end.location).toBe(`${world.baseUrl}/account`);
    }
  });

  it('starts no set-up for a prefetch of the page', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    expect((await browser.get(PLACE, { 'Sec-Purpose': 'prefetch' })).status).toBe(204);
    expect(await world.sql('SELECT 1 FROM second_factors WHERE user_id = $1', [user.id])).toEqual([]);
  });
});
