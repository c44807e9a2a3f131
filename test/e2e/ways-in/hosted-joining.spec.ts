import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { mailedInvite, newInvite } from '../../support/invites.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress } from '../../support/new-user.js';
import {
  PASSWORD,
  type TestUser,
  type TestClient,
  type TestTenant,
  type Tokens,
  type World,
} from '../../support/world.js';

// Without JavaScript. security 27, 80, 85
describe('Joining an app on the hosted pages', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;
  let invited: TestClient;
  let approval: TestClient;
  let open: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme' });
    home = await world.app(tenant);
    const available_roles = ['user', 'editor', 'manager', 'admin'];
    invited = await world.app(tenant, { name: 'Shop', config: { available_roles } });
    approval = await world.app(tenant, { name: 'Wiki', registration_policy: 'approval' });
    open = await world.app(tenant, { name: 'Forum', registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const newBrowser = () => new HostedBrowser(world.baseUrl);
  const arrive = async (app: TestClient, user: TestUser, parameters: Record<string, string> = {}) => {
    const browser = newBrowser();
    return { browser, page: await browser.signIn(loginPath(app, parameters), user.email, user.password) };
  };
  const enrollmentOf = async (email: string, app: { id: string }) =>
    (
      await world.sql<{ status: string; roles: string[] }>(
        `SELECT e.status, e.roles FROM enrollments e JOIN users u ON u.id = e.user_id
         WHERE u.email_canonical = $1 AND e.app_id = $2`,
        [email.toLowerCase(), app.id],
      )
    )[0];
  const usesOf = async (id: string) =>
    (await world.sql<{ use_count: number }>('SELECT use_count FROM invites WHERE id = $1', [id]))[0]!.use_count;
  const mailedTo = (email: string, app: { id: string }, fields: Record<string, unknown> = {}) =>
    mailedInvite(mailing, app, email, fields);
  const tokensOf = async (end: HostedAnswer, app: TestClient) => {
    expect(end.location).toContain(app.redirectUri);
    const code = end.delivered.get('code');
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: app.id });
    return readJwt(body.access_token).payload;
  };
  const linkTo = (page: HostedAnswer, step: string) => {
    const found = new RegExp(`href="(/sign-in/[^"]+/${step})"`).exec(page.body)?.[1];
    if (!found) throw new Error(`No link to ${step}: ${page.body.slice(0, 2000)}`);
    return found;
  };

  describe('by an access request, at an app with the policy approval', () => {
    it('says who decides, accepts a message, and then shows that the request is waiting', async () => {
      const user = await world.user(home);
      const { browser, page } = await arrive(approval, user, { state: 's' });
      expect(page.status).toBe(200);
      expect(page.body).toContain('Request access');
      expect(page.body).toContain('Acme decides who can use Wiki');
      expect(page.body).toContain(user.email);
      expect(await enrollmentOf(user.email, approval)).toBeUndefined();
      const waiting = await browser.submit(page, { message: 'It is me.' });
      expect(waiting.body).toContain('Your request is pending');
      expect(waiting.body).toContain('error&#x3D;approval_pending&amp;state&#x3D;s');
      expect(await enrollmentOf(user.email, approval)).toMatchObject({ status: 'pending' });
      const [entry] = await world.sql(
        `SELECT actor_id, metadata->>'message' AS message FROM audit_entries WHERE action = 'enrollment.pending' AND user_id = $1`,
        [user.id],
      );
      expect(entry).toEqual({ actor_id: user.id, message: 'It is me.' });
      expect((await browser.get(loginPath(approval))).body).toContain('Your request is pending');
    });

    it('shows an error for a message that is too long, and keeps its text', async () => {
      const { browser, page } = await arrive(approval, await world.user(home));
      const again = await browser.submit(page, { message: `<b>${'x'.repeat(1000)}` });
      expect(again.status).toBe(422);
      expect(again.body).toContain('Use at most 1000 characters.');
      expect(again.body).toContain('&lt;b&gt;xxx');
    });

    it('accepts an invite instead, which needs no approval', async () => {
      const user = await world.user(home);
      const { code } = await newInvite(world, approval);
      const { browser, page } = await arrive(approval, user);
      const end = await browser.submit(await browser.get(linkTo(page, 'invite')), { code });
      expect(await tokensOf(end, approval)).toMatchObject({ sub: user.id });
    });

    it('lets a waiting user in with an invite', async () => {
      const user = await world.user(home);
      const { browser, page } = await arrive(approval, user);
      await browser.submit(page, {});
      const { code } = await newInvite(world, approval);
      const invitation = await browser.get(loginPath(approval, { invite_code: code }));
      const { location } = invitation;
      const end = await browser.submit(location ? await browser.get(location) : invitation, { code });
      expect(await tokensOf(end, approval)).toMatchObject({ sub: user.id });
    });

    it('is rejected from another site', async () => {
      const user = await world.user(home);
      const { browser, page } = await arrive(approval, user);
      const answer = await browser.post(
        page.formAction(),
        { form_token: page.formToken() },
        { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      );
      expect(answer.status).toBe(403);
      expect(await enrollmentOf(user.email, approval)).toBeUndefined();
    });
  });

  describe('by a code, for a signed-in user', () => {
    it('returns to the app with the error that a code was required', async () => {
      const { browser, page } = await arrive(invited, await world.user(home), { state: 'kept' });
      const typed = await browser.submit(page, { code: '0000000000000' });
      expect([typed.status, typed.body.includes('error&#x3D;invalid_invite&amp;state&#x3D;kept')]).toEqual([400, true]);
      const brought = await arrive(invited, await world.user(home), { invite_code: '0000000000000', state: 'kept' });
      expect(brought.page.body).not.toContain('Back to Shop');
      const refused = await brought.browser.submit(brought.page, { code: '0000000000000' });
      expect(refused.body).toContain('error&#x3D;invalid_invite&amp;state&#x3D;kept');
    });

    it('asks for the code at an app with the policy invite, and continues with a right one', async () => {
      const user = await world.user(home);
      const invite = await newInvite(world, invited, { roles: ['editor'] });
      const { browser, page } = await arrive(invited, user, { state: 'kept' });
      expect(page.body).toContain('You need an invitation');
      expect(page.body).toContain('Shop is only open to people invited by Acme');
      expect(page.body).toContain('error&#x3D;registration_closed&amp;state&#x3D;kept');
      const end = await browser.submit(page, { code: ` ${invite.code.toLowerCase()} ` });
      expect(end.delivered.get('state')).toBe('kept');
      expect(await tokensOf(end, invited)).toMatchObject({ sub: user.id, roles: ['user', 'editor'] });
      expect(await usesOf(invite.id)).toBe(1);
    });

    it('shows the code filled in if the app sent it', async () => {
      const user = await world.user(home);
      const { code } = await newInvite(world, invited);
      const { browser, page } = await arrive(invited, user, { invite_code: code });
      expect(page.body).toContain('Your invitation');
      expect(page.body).toContain(`value="${code}"`);
      expect(await tokensOf(await browser.submit(page, { code }), invited)).toMatchObject({ sub: user.id });
    });

    it.each([
      ['none', async () => '', 422, 'Enter the code'],
      ['nonsense', async () => '<script>', 400, 'not valid for this app'],
      ['an unknown one', async () => '0000000000000', 400, 'not valid for this app'],
      ['one of another app', async () => (await newInvite(world, approval)).code, 400, 'not valid for this app'],
      [
        'one that is revoked',
        async () => {
          const { id, code } = await newInvite(world, invited);
          await world.asAdmin('DELETE', `/admin/invites/${id}`);
          return code;
        },
        400,
        'not valid for this app',
      ],
      [
        'one that was sent to another user',
        async () => (await newInvite(world, invited, { send_to_email: newAddress() })).code,
        400,
        'sent to another address',
      ],
    ])('that is %s: shows an error, and the user is not enrolled', async (_, make, status, words) => {
      const user = await world.user(home);
      const { browser, page } = await arrive(invited, user);
      const again = await browser.submit(page, { code: await make() });
      expect(again.status).toBe(status);
      expect(again.body).toContain(words);
      expect(again.body).not.toContain('<script>');
      expect(await enrollmentOf(user.email, invited)).toBeUndefined();
    });

    it('adds the invite’s roles for a member', async () => {
      const user = await world.user(invited, { roles: ['manager'] });
      const { code } = await newInvite(world, invited, { roles: ['editor'] });
      const { browser, page } = await arrive(invited, user, { invite_code: code });
      expect(page.body).toContain('You are already a member of Shop');
      const end = await browser.submit(page, { code });
      expect(await tokensOf(end, invited)).toMatchObject({ roles: ['user', 'manager', 'editor'] });
    });

    it.each([
      ['a member goes on', () => world.user(invited), () => invited, null],
      ['a stranger to an open app may join', () => world.user(home), () => open, 'Join Forum?'],
      ['a stranger to one that approves may ask', () => world.user(home), () => approval, 'Request access'],
      ['a stranger to one that invites is asked for a code', () => world.user(home), () => invited, 'You need an'],
    ])('is optional: %s', async (_, make, at, words) => {
      const [user, app] = [await make(), at()];
      const invite = await newInvite(world, app, { roles: ['admin'] });
      const { browser, page } = await arrive(app, user, { invite_code: invite.code });
      const next = await browser.submit(page, { without: '1' });
      if (words === null) expect(next.delivered.get('code')).not.toBeNull();
      else expect(next.body).toContain(words);
      expect(await usesOf(invite.id)).toBe(0);
    });

    it('shows no page if the app forbids pages', async () => {
      const user = await world.user(invited);
      const { code } = await newInvite(world, invited);
      const { browser } = await arrive(invited, user);
      const silent = await browser.get(loginPath(invited, { invite_code: code, prompt: 'none' }));
      expect(silent.delivered.get('code')).not.toBeNull();
    });

    it('rejects a suspended user and does not use the invite up', async () => {
      const user = await world.user(invited);
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: invited.id });
      const invite = await newInvite(world, invited);
      const { page } = await arrive(invited, user, { invite_code: invite.code });
      expect(page.delivered.get('error')).toBe('account_suspended');
      expect(await usesOf(invite.id)).toBe(0);
    });

    it('enrolls once when the form is sent eight times at once', async () => {
      const user = await world.user(home);
      const invite = await newInvite(world, invited, { max_uses: 20 });
      const { browser, page } = await arrive(invited, user);
      const fields = { form_token: page.formToken(), code: invite.code };
      const answers = await Promise.all(Array.from({ length: 8 }, () => browser.post(page.formAction(), fields)));
      for (const { status } of answers) expect([303, 400]).toContain(status);
      expect(await enrollmentOf(user.email, invited)).toMatchObject({ status: 'active' });
      expect(await usesOf(invite.id)).toBe(1);
    });
  });

  describe('by a code, for a new user', () => {
    const signUpPage = async (app: TestClient, parameters: Record<string, string> = {}) => {
      const browser = newBrowser();
      const login = await browser.get(loginPath(app, parameters));
      return { browser, page: await browser.get(linkTo(login, 'invited_sign_up')) };
    };

    it('is offered on the sign-in page: “Enter your invitation code”', async () => {
      const { browser, page } = await signUpPage(invited, { state: 'new' });
      const email = newAddress();
      const { code } = await newInvite(world, invited, { roles: ['editor'] });
      const end = await browser.submit(page, { code, email, display_name: 'Grace', password: PASSWORD });
      expect(end.delivered.get('state')).toBe('new');
      expect(await tokensOf(end, invited)).toMatchObject({ email, roles: ['user', 'editor'], email_verified: false });
      expect((await browser.get(loginPath(invited))).delivered.get('code')).not.toBeNull();
      await mailing.smtp.next(email, 'Confirm your e-mail address');
    });

    it('verifies the address with the code from the mail and sends no verification mail', async () => {
      const email = newAddress();
      const { code } = await mailedTo(email, invited);
      const { browser, page } = await signUpPage(invited, { invite_code: code, login_hint: email });
      expect(page.body).toContain(`value="${code}"`);
      expect(page.body).toContain(`value="${email}"`);
      const end = await browser.submit(page, { code, email, display_name: 'Grace', password: PASSWORD });
      expect(await tokensOf(end, invited)).toMatchObject({ email, email_verified: true, amr: ['pwd', 'email'] });
    });

    it('works without a password at an app without passwords', async () => {
      const linksOnly = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
      const { browser, page } = await signUpPage(linksOnly);
      expect(page.body).not.toContain('type="password"');
      const email = newAddress();
      const { code } = await newInvite(world, linksOnly);
      const end = await browser.submit(page, { code, email, display_name: 'Grace' });
      expect(await tokensOf(end, linksOnly)).toMatchObject({ email });
      const [row] = await world.sql('SELECT password_hash FROM users WHERE email = $1', [email]);
      expect(row).toEqual({ password_hash: null });
    });

    it.each([
      ['no code', { code: '' }, 422, 'Enter the code'],
      ['a wrong code', { code: '0000000000000' }, 400, 'not valid for this app'],
      ['no name', { display_name: ' ' }, 422, 'Enter your name'],
      ['half an address', { email: 'nobody' }, 422, 'complete e-mail address'],
      ['no password', { password: '' }, 422, 'Choose a password'],
      ['a short password', { password: 'short' }, 400, 'Use 8 characters or more'],
    ])(
      'with %s: shows an error, keeps the other fields, and does not use the invite up',
      async (_, wrong, status, words) => {
        const invite = await newInvite(world, invited);
        const { browser, page } = await signUpPage(invited);
        const email = newAddress();
        const form = { code: invite.code, email, display_name: 'Grace', password: PASSWORD, ...wrong };
        const again = await browser.submit(page, form);
        expect(again.status).toBe(status);
        expect(again.body).toContain(words);
        expect(again.body).not.toContain(PASSWORD);
        expect(await usesOf(invite.id)).toBe(0);
        expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
      },
    );

    it('for an address with an account leads to the sign-in; the code alone does not sign in', async () => {
      const user = await world.user(home);
      const { invite, code } = await mailedTo(user.email, invited);
      const { browser, page } = await signUpPage(invited, { invite_code: code });
      const form = { code, email: user.email, display_name: 'X', password: 'another password' };
      const again = await browser.submit(page, form);
      expect([again.status, again.body.includes('Sign in instead')]).toEqual([400, true]);
      expect(browser.cookie('sso')).toBeUndefined();
      expect([await enrollmentOf(user.email, invited), await usesOf(invite.id)]).toEqual([undefined, 0]);
    });

    it('is not offered at a Console without a code', async () => {
      const console_ = { id: tenant.consoleAppId, redirectUri: `${world.baseUrl}/console/callback` };
      const login = await newBrowser().get(loginPath(console_));
      expect(login.body).not.toContain('Enter your invitation code');
      const browser = newBrowser();
      const page = await browser.get(loginPath(console_));
      const tried = await browser.get(page.formAction().replace(/password$/, 'invited_sign_up'));
      expect(tried.body).not.toContain('Create an account');
    });
  });

  describe('by the link in a mail', () => {
    const openLink = async (email: string, app: { id: string }, fields: Record<string, unknown> = {}) => {
      const { invite, code } = await mailedTo(email, app, fields);
      const browser = newBrowser();
      return { invite, code, browser, page: await browser.get(`/invite?code=${code}`) };
    };

    it('shows the inviter, the app, the roles, the address and the expiry, and does not use the invite up', async () => {
      const email = newAddress();
      const { invite, page } = await openLink(email, invited, { roles: ['user', 'editor'], expires_days: 3 });
      expect(page.status).toBe(200);
      for (const word of ['You are invited', 'Root', 'Shop', 'Acme', email, 'editor', '3 days'])
        expect(page.body).toContain(word);
      expect(page.body).toMatch(/<time datetime="[^"]+Z" title="\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT">3 days</);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await usesOf(invite.id)).toBe(0);
    });

    it('leads a new user to a verified account at the app', async () => {
      const email = newAddress();
      const { browser, page } = await openLink(email, invited, { roles: ['editor'] });
      const signUp = await browser.submit(page, { code: codeOf(page), way: 'sign_up' });
      expect(signUp.body).toContain('Create an account');
      expect(signUp.body).toContain(`value="${email}"`);
      const form = { code: codeOf(signUp), email, display_name: 'Grace', password: PASSWORD };
      const end = await browser.submit(signUp, form);
      expect([end.delivered.get('iss'), end.delivered.get('state')]).toEqual([world.baseUrl, null]); // RFC 9207
      expect(await tokensOf(end, invited)).toMatchObject({ email, email_verified: true, roles: ['user', 'editor'] });
    });

    it('leads a user with an account through the sign-in', async () => {
      const user = await world.user(home);
      const { browser, page, invite } = await openLink(user.email, invited);
      const login = await browser.submit(page, { code: codeOf(page) });
      expect(login.body).toContain('type="password"');
      expect(login.body).toContain(`value="${user.email}"`);
      const invitation = await browser.submit(login, { email: user.email, password: user.password });
      const end = await browser.submit(invitation, { code: codeOf(invitation) });
      expect(await tokensOf(end, invited)).toMatchObject({ sub: user.id });
      expect(await usesOf(invite.id)).toBe(1);
    });

    it('shows the signed-in user, and offers another account', async () => {
      const user = await world.user(home);
      const { code } = await mailedTo(user.email, invited);
      const { browser } = await arrive(home, user);
      const page = await browser.get(`/invite?code=${code}`);
      expect(page.body).toContain(`Continue as ${user.email}`);
      expect((await browser.submit(page, { code, way: 'other' })).body).toContain('type="password"');
      const invitation = await browser.submit(page, { code });
      expect(invitation.body).toContain('Your invitation');
      expect(await tokensOf(await browser.submit(invitation, { code }), invited)).toMatchObject({ sub: user.id });
    });

    // security 80
    it('makes a new user a tenant admin, who continues to the Console', async () => {
      const email = newAddress();
      const console_ = { id: tenant.consoleAppId };
      const { browser, page } = await openLink(email, console_);
      const signUp = await browser.submit(page, { code: codeOf(page), way: 'sign_up' });
      const form = { code: codeOf(signUp), email, display_name: 'Grace', password: PASSWORD };
      let end = await browser.submit(signUp, form);
      expect(end.location).toContain('/console/callback');
      for (let hops = 0; end.location && hops < 6; hops++)
        end = await browser.get(end.location.replace(world.baseUrl, ''));
      expect([end.status, end.body.includes('Overview')]).toEqual([200, true]);
      expect(end.body).toContain('Shop');
    });

    it('says that it no longer works, without the reason', async () => {
      const email = newAddress();
      const { invite, code } = await mailedTo(email, invited);
      await world.asAdmin('POST', `/admin/invites/${invite.id}/resend`);
      const expired = await newInvite(world, invited);
      await world.sql('UPDATE invites SET expires_at = now() WHERE id = $1', [expired.id]);
      for (const bad of [code, expired.code, '0000000000000', '', '%3Cscript%3E', 'x'.repeat(5000)]) {
        const page = await newBrowser().get(`/invite?code=${bad}`);
        expect([page.status, page.body.includes('no longer works')]).toEqual([400, true]);
      }
      const none = await newBrowser().get('/invite');
      expect([none.status, none.body.includes('no longer works')]).toEqual([400, true]);
    });

    it('shows the code if the app has no URL to continue at', async () => {
      const nowhere = await world.app(tenant, { config: { redirect_uris: [] } });
      const { code } = await newInvite(world, nowhere);
      const page = await newBrowser().get(`/invite?code=${code}`);
      expect(page.body).toContain(code);
      expect(page.body).not.toContain('<form');
    });

    it('accepts a form only from its own page', async () => {
      const { browser, page, code } = await openLink(newAddress(), invited);
      const fields = { form_token: page.formToken(), code };
      const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
      expect((await browser.post('/invite', fields, foreign)).status).toBe(403);
      expect((await newBrowser().post('/invite', fields)).status).toBe(403);
      expect((await browser.post('/invite', { code })).status).toBe(403);
    });

    it('is not used up by opening it', async () => {
      const { code } = await newInvite(world, invited);
      const head = await fetch(`${world.baseUrl}/invite?code=${code}`, { method: 'HEAD' });
      expect(head.status).toBe(204);
    });
  });
});

/** The code that the page's form holds. */
function codeOf(page: HostedAnswer): string {
  const code = /name="code"[^>]*value="([^"]+)"/.exec(page.body)?.[1];
  if (!code) throw new Error(`No code on the page: ${page.body.slice(0, 3000)}`);
  return code;
}
