import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { linkIn } from '../../support/smtp.js';
import { type TestUser, type TestClient, type World } from '../../support/world.js';

/** What browsers send along when a link is followed, on a page of ours too, or fetched by one. */
const FOLLOWED: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' },
  { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': 'document' },
  { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' },
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' },
  { Referer: 'https://evil.example/' },
  {},
];

describe('Magic link opened outside its own browser or page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  let token: string;
  let path: string;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant());
    user = await world.user(app);
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
    ({ token, path } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link')));
  });

  afterAll(() => mailing.close());

  const verify = (more = '') => `/auth/magic-link/verify?token=${token}${more}`;
  const sessions = () => world.sql('SELECT 1 FROM sso_sessions WHERE user_id = $1', [user.id]);

  it.each(FOLLOWED)('signs no user in and leads to a page with a question: %j', async (headers) => {
    const browser = new HostedBrowser(world.baseUrl);
    const answer = await browser.get(verify(), headers);
    expect([answer.status, answer.location, answer.headers.get('cache-control')]).toEqual([
      303,
      `/magic-link?token=${token}`,
      'no-store',
    ]);
    expect([browser.cookie('sso'), await sessions()]).toEqual([undefined, []]);
  });

  it('accepts no form token of another browser, link or site', async () => {
    const [browser, other] = [new HostedBrowser(world.baseUrl), new HostedBrowser(world.baseUrl)];
    const mine = (await browser.get(path)).formToken();
    await other.get(path);
    const tries = [
      await other.get(verify(`&form_token=${mine}`)),
      await browser.get(verify('&form_token=x')),
      await browser.get(verify(`&form_token=${mine}`), { 'Sec-Fetch-Site': 'cross-site' }),
      await browser.get(verify(`&form_token=${mine}`), { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' }),
      await browser.get(verify(`&form_token=${mine}`), { Origin: 'https://evil.example' }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    expect(await sessions()).toEqual([]);
  });

  it('names the account, and warns a user who is signed in to another one', async () => {
    const stranger = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const alone = await browser.get(path);
    expect(alone.body).toContain(`Continue as ${user.email}`);
    expect(alone.body).not.toContain('You are signed in here as');
    await browser.signIn(loginPath(app), stranger.email, stranger.password);
    const before = browser.cookie('sso');
    const warned = (await browser.get(path)).body;
    expect(warned.replace(/<[^>]*>/g, '')).toContain(`You are signed in here as ${stranger.email}`);
    expect(warned).not.toContain('role="alert"');
    await browser.get(verify(), { 'Sec-Fetch-Site': 'cross-site' });
    expect(browser.cookie('sso')).toBe(before);
    expect((await browser.get(loginPath(app))).delivered.get('code')).not.toBeNull();
  });

  it('signs in by the form of its page, also in a browser that sends no Sec-Fetch-Site', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(path);
    const answer = await browser.get(verify(`&form_token=${page.formToken()}`));
    expect([answer.status, answer.delivered.get('code') !== null]).toEqual([302, true]);
    expect(await sessions()).toHaveLength(1);
  });

  it('leads to the sign-in page after it was used', async () => {
    const answer = await new HostedBrowser(world.baseUrl).get(verify(), { 'Sec-Fetch-Site': 'cross-site' });
    expect([answer.status, answer.location?.startsWith('/login?error=invalid_magic_link')]).toEqual([302, true]);
  });
});
