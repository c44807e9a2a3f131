import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitAccount, wordsOf } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type FakeProviders, startFakeProviders } from '../../support/fake-providers.js';
import { follow, providerUser, startPath, signInAtProvider } from '../../support/provider-sign-in.js';
import { linkIn, SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, World } from '../../support/world.js';

// Its own database: another service on the same one would send its mails elsewhere.
describe('Sign-in to the account page', () => {
  let database: TestDatabase;
  let rig: FakeProviders;
  let smtp: SmtpInbox;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    [database, rig, smtp] = await Promise.all([freshDatabase(), startFakeProviders(), SmtpInbox.start()]);
    const { port, baseUrl, providers } = rig;
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        port,
        baseUrl,
        mailUrl: smtp.url,
        providers: { ...providers, apple: null },
      },
    });
    world = await World.open(baseUrl, database.url);
    const config = { allowed_providers: ['password', 'google'] };
    app = await world.app(await world.tenant(), { name: 'Claims', registration_policy: 'open', config });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await smtp.stop();
    await rig.close();
    await database.drop();
  });

  const providersOn = ({ body }: HostedAnswer) =>
    [...body.matchAll(/href="\/oauth\/(\w+)\/start/g)].map(([, name]) => name);
  /** From the page to the answer of our callback. */
  const pass = (browser: HostedBrowser, { body }: HostedAnswer, provider: string) => {
    const path = new RegExp(`href="(/oauth/${provider}/start[^"]+)"`).exec(body)![1]!.replaceAll('&#x3D;', '=');
    return signInAtProvider(browser, rig.baseUrl, path).then((answer) => follow(browser, answer));
  };
  /** An account whose only method is Google, which the platform's Console does not take. */
  const googleUser = async () => {
    const identity = providerUser();
    rig.google.signInAs(identity);
    const browser = new HostedBrowser(rig.baseUrl);
    await follow(browser, await signInAtProvider(browser, rig.baseUrl, startPath('google', app)));
    const rows = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [identity.email]);
    return rows[0]!;
  };

  it('has every method of the service, and does not call itself Console', async () => {
    const page = await new HostedBrowser(rig.baseUrl).get('/account/sign-in');
    expect(page.body).toContain('<h1>Sign in to your account</h1>');
    expect(providersOn(page)).toEqual(['google', 'microsoft', 'github']);
    expect(wordsOf(page)).not.toMatch(/Console|Platform/);
    expect(page.body).not.toContain('/sign_up');
  });

  it('is recorded for no tenant: the app in the address only gives the page its look', async () => {
    const user = await world.user(app);
    const other = await world.app(await world.tenant(), { registration_policy: 'open' });
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(`/account/sign-in?app_id=${other.id}`, user.email, user.password);
    await browser.get(`/account/sign-in?app_id=${other.id}`);
    expect(
      await world.sql(
        `SELECT tenant_id, app_id, metadata ->> 'via' AS via FROM audit_entries
         WHERE user_id = $1 AND action = 'user.login' ORDER BY ordinal`,
        [user.id],
      ),
    ).toEqual(Array.from({ length: 2 }, () => ({ tenant_id: null, app_id: null, via: 'account' })));
  });

  it('ends in one database connection: as many at once as the pool has wait for no other', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const ends = await Promise.all(Array.from({ length: 20 }, () => browser.get('/account/sign-in')));
    expect(new Set(ends.map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`302 ${rig.baseUrl}/account`]),
    );
  });

  it('lets in a user whose only method is a provider, and gives that session no way into the Console', async () => {
    const { id } = await googleUser();
    const browser = new HostedBrowser(rig.baseUrl);
    await pass(browser, await browser.get('/account/sign-in'), 'google');
    expect(wordsOf(await browser.get('/account'))).toContain('Ada Lovelace');
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [id]);
    const refused = await follow(browser, await browser.get('/console'));
    expect([refused.status, refused.formAction()]).toEqual([200, expect.stringMatching(/^\/sign-in\/.+\/password$/)]);
    expect(providersOn(refused)).toEqual([]);
  });

  it('creates no account', async () => {
    const identity = providerUser();
    rig.github.signInAs({
      id: 77,
      login: 'new',
      name: 'New',
      emails: [{ email: identity.email, primary: true, verified: true }],
    });
    const browser = new HostedBrowser(rig.baseUrl);
    await pass(browser, await browser.get('/account/sign-in'), 'github');
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [identity.email])).toEqual([]);
    expect((await browser.get('/account')).location).toBe('/account/sign-in');
  });

  it('has the methods and the name of the app that the browser used last, and a link to all others', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(rig.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    const page = await browser.get('/account/sign-in?fresh=1');
    expect([wordsOf(page), providersOn(page)]).toEqual([expect.stringContaining('Claims'), ['google']]);
    expect(page.body).toContain('href="/account/sign-in?any&#x3D;1&amp;fresh&#x3D;1"');
    expect(providersOn(await browser.get('/account/sign-in?any=1&fresh=1'))).toEqual(['google', 'microsoft', 'github']);
  });

  it('mails a link that names the service and not its Console', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(rig.baseUrl);
    const page = await browser.get('/account/sign-in');
    const action = /formaction="([^"]+magic_link)"/.exec(page.body)![1]!;
    await browser.post(action, { form_token: page.formToken(), email: user.email, begin: '1' });
    const mail = await smtp.next(user.email, 'Your sign-in link');
    expect(mail.text).toContain('signs you in to Identity Broker');
    expect(mail.text).not.toMatch(/Console|Platform/);
  });

  it('by a mailed link works although the platform Console takes no links', async () => {
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/apps/${world.platformConsoleId}`, {
      config: { allowed_providers: ['password', 'passkey'] },
    });
    const [row] = await world.sql<{ methods: string[] }>(
      `SELECT config -> 'allowed_providers' AS methods FROM apps WHERE id = $1`,
      [world.platformConsoleId],
    );
    expect(row!.methods).not.toContain('magic_link');
    const browser = new HostedBrowser(rig.baseUrl);
    const page = await browser.get('/account/sign-in');
    const action = /formaction="([^"]+magic_link)"/.exec(page.body)![1]!;
    await browser.post(action, { form_token: page.formToken(), email: user.email, begin: '1' });
    const { token } = linkIn(await smtp.next(user.email, 'Your sign-in link'));
    await follow(browser, await browser.useMagicLink(token));
    expect((await browser.get('/account')).status).toBe(200);
  });
});
