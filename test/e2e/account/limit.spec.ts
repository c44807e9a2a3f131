import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitAccount, wordsOf } from '../../support/account-visitor.js';
import { contentToken, visitConsole } from '../../support/console-visitor.js';
import { acceptAlone, newInvite } from '../../support/invites.js';
import { loginPath } from '../../support/hosted-page.js';
import { ssoCookieOf } from '../../support/new-user.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const CONTINUED = { continued_sign_ins: { points: 3, seconds: 900 } };
const ONE = { account_deletion: { points: 1, seconds: 3_600 }, test_mail: { points: 1, seconds: 900 } };

/**
 * Audit entries cannot be deleted: the limit keeps users from creating any number of them, for example with a new
 * account.
 */
describe('Rate limit own_account', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    const rateLimits = { enabled: true, overrides: { own_account: { points: 3, seconds: 900 }, ...CONTINUED, ...ONE } };
    service = await startTestApp({ settings: { rateLimits, redisUrl: null } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant({ allow_account_deletion: true }));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const entries = async (userId: string, action: string) =>
    (await world.sql('SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = $2', [userId, action])).length;

  it('counts forms of the account page and returns a 429 page with Retry-After', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const form_token = (await browser.get('/account')).formToken();
    const answers = [];
    for (const display_name of ['A', 'B', 'C', 'D', 'E'])
      answers.push(await browser.post('/account/profile', { form_token, display_name }));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 429, 429]);
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(wordsOf(answers[3]!)).toContain('Too many attempts');
    expect(await entries(user.id, 'user.updated')).toBe(3);
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('is joined by continued_sign_ins, for sign-ins that need no credential, at apps and at the account page', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const atApp = loginPath(app);
    const paths = ['/account/sign-in', atApp, atApp, atApp, atApp, '/account/sign-in'];
    const answers = [];
    for (const path of paths) answers.push(await browser.get(path));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 302, 429, 302]);
    expect(wordsOf(answers[4]!)).toContain('Too many attempts');
    expect(await entries(user.id, 'user.login')).toBe(6);
    // With the password it is another sign-in.
    expect((await (await visitAccount(world, user)).get('/account')).status).toBe(200);
  });

  it('answers the app above continued_sign_ins if the request forbids a page', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const silent = () => browser.get(`${loginPath(app)}&response_type=code&client_id=${app.id}&state=s&prompt=none`);
    const answers = [];
    for (let time = 0; time < 4; time++) answers.push(await silent());
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
    expect(answers.map(({ delivered }) => delivered.get('error'))).toEqual([
      ...[null, null, null],
      'temporarily_unavailable',
    ]);
    expect(answers[3]!.delivered.get('state')).toBe('s');
    expect(await entries(user.id, 'user.login')).toBe(4);
  });

  it('is joined by account_deletion, which keeping the account does not count towards', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const form_token = (await browser.get('/account')).formToken();
    const ask = () => browser.post('/account/delete', { form_token, email: user.email });
    expect((await ask()).location).toBe('/account/delete');
    expect((await browser.post('/account/delete/cancel', { form_token })).location).toBe('/account?done=account-kept');
    const refused = await ask();
    expect([refused.status, wordsOf(refused)]).toEqual([429, expect.stringContaining('Too many attempts')]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await entries(user.id, 'user.deletion_requested')).toBe(1);
  });

  it('is like test_mail: an operator gets a test e-mail at their own address, and no second one at once', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const browser = await visitConsole(world, admin);
    const tab = `/console/apps/${app.id}/branding`;
    const form_token = contentToken(await browser.get(tab));
    const send = async () => (await browser.post(`${tab}/test-mail`, { form_token, to: 'other@example.com' })).status;
    expect([await send(), await send()]).toEqual([303, 429]);
    const sent = await world.sql("SELECT recipient, app_id FROM mail_log WHERE template = 'test' AND app_id = $1", [
      app.id,
    ]);
    expect(sent).toEqual([{ recipient: admin.email, app_id: app.id }]);
  });

  it('counts JSON requests to /account/totp/setup', async () => {
    const user = await world.user({ id: (await world.tenant()).consoleAppId });
    const { access_token: token } = await world.tokens(user, world.platformConsoleId);
    const setUp = async () => (await world.call('POST', '/account/totp/setup', {}, { token })).status;
    expect([await setUp(), await setUp(), await setUp(), await setUp()]).toEqual([200, 200, 200, 429]);
  });

  it('counts invites that a member accepts again, each of which signs them in', async () => {
    const user = await world.user(app);
    const { code } = await newInvite(world, app, { max_uses: 5 });
    const Cookie = ssoCookieOf(await world.login(user, app.id))!;
    const accept = async () => (await acceptAlone(world, app, code, {}, { Cookie })).status;
    expect([await accept(), await accept(), await accept(), await accept()]).toEqual([200, 200, 200, 429]);
    expect(await entries(user.id, 'user.login')).toBe(4);
  });
});
