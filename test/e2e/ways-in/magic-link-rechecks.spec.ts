import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signOutEverywhereElse } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { linkIn } from '../../support/smtp.js';
import { type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

/** What changes between the asking and the click. */
interface Change {
  readonly what: string;
  readonly change: (world: World, at: { tenant: TestTenant; app: TestClient; user: TestUser }) => Promise<unknown>;
  readonly ends: (answer: HostedAnswer) => void;
}

const backAtLogin = (answer: HostedAnswer) => expect(answer.location).toMatch(/^\/login\?error=invalid_magic_link/);

const onOurPages = (answer: HostedAnswer) => expect(answer.location).toMatch(/^\/sign-in\/[\w-]+$/);

const CHANGES: readonly Change[] = [
  {
    what: 'the app is off',
    change: (world, { app }) => world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false }),
    ends: backAtLogin,
  },
  {
    what: 'the tenant is off',
    change: (world, { tenant }) => world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false }),
    ends: backAtLogin,
  },
  {
    what: 'the app takes no links any more',
    change: (world, { app }) =>
      world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['password'] } }),
    ends: backAtLogin,
  },
  {
    what: 'the redirect URI is not registered any more',
    change: (world, { app }) =>
      world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: ['https://other.example/callback'] } }),
    ends: backAtLogin,
  },
  {
    what: 'the account is shut',
    change: (world, { user }) => world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]),
    ends: backAtLogin,
  },
  {
    what: 'the account has another address',
    change: (world, { user }) =>
      world.sql("UPDATE users SET email = 'x' || email, email_canonical = 'x' || email_canonical WHERE id = $1", [
        user.id,
      ]),
    ends: backAtLogin,
  },
  {
    what: 'the user has another password',
    change: (world, { user }) =>
      world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: `another ${user.id}` }),
    ends: backAtLogin,
  },
  {
    what: 'the user has signed out everywhere else',
    change: (world, { user }) => signOutEverywhereElse(world, user),
    ends: backAtLogin,
  },
  {
    what: 'the user is suspended',
    change: (world, { app, user }) => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id }),
    ends: (answer) => expect(answer.delivered.get('error')).toBe('account_suspended'),
  },
  {
    what: 'the user is not enrolled any more',
    change: (world, { user }) => world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id]),
    ends: onOurPages,
  },
  {
    what: 'the app demands a second factor',
    change: (world, { app }) => world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: true } }),
    ends: onOurPages,
  },
];

// security 23
describe('Magic link is checked again when it is used', () => {
  let mailing: MailingService;
  let world: World;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
  });

  afterAll(() => mailing.close());

  it.each(CHANGES)('and gives no code when $what', async ({ change, ends }) => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const user = await world.user(app);
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
    const { token } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    await change(world, { tenant, app, user });
    const answer = await new HostedBrowser(world.baseUrl).useMagicLink(token);
    ends(answer);
    expect(answer.location ?? '').not.toContain('code=');
    expect(answer.location ?? '').not.toContain('access_token=');
    expect(await world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('and works at an app that allows only links', async () => {
    const app = await world.app(await world.tenant(), { config: { allowed_providers: ['magic_link'] } });
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(loginPath(app, { state: 'kept' }));
    expect(page.body).not.toContain('type="password"');
    const malformed = await browser.submit(page, { email: 'nobody' });
    expect([malformed.status, malformed.body.includes('complete e-mail address')]).toEqual([422, true]);
    expect((await browser.submit(page, { email: user.email })).body).toContain('Check your e-mail');
    const { token } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    const answer = await browser.useMagicLink(token);
    expect([answer.delivered.get('state'), answer.delivered.get('code') !== null]).toEqual(['kept', true]);
    const spent = await browser.useMagicLink(token);
    expect((await browser.get(spent.location!)).body).not.toContain('type="password"');
  });

  it('and is offered beside the password, which can stay empty', async () => {
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(loginPath(app));
    const action = /formaction="([^"]+\/magic_link)"/.exec(page.body)![1]!;
    const sent = await browser.post(action, { form_token: page.formToken(), email: user.email, password: '' });
    expect([sent.status, sent.body.includes('Check your e-mail')]).toEqual([200, true]);
    const { token } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    expect((await browser.useMagicLink(token)).delivered.get('code')).not.toBeNull();
  });
});
