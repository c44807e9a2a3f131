import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUp, signUpUser, ssoCookieOf } from '../../support/new-user.js';
import { enrolDirectly, selfRegisteredApp } from '../../support/self-registered-app.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { PASSWORD, type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

const SUBJECT = 'Confirm your e-mail address';

describe('Email verification', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const verify = (token: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.call(method, `/auth/verify-email?token=${token}`, undefined, { headers });

  const isVerified = async (id: string) => {
    const [row] = await world.sql<{ email_verified: boolean }>('SELECT email_verified FROM users WHERE id = $1', [id]);
    return row?.email_verified;
  };

  const begin = async () => {
    const user = await signUpUser(world, app);
    return { user, link: linkIn(await mailing.smtp.next(user.email, SUBJECT)) };
  };

  const send = (headers: Record<string, string> = {}) =>
    world.call('POST', '/auth/send-verification', { app_id: app.id }, { headers });

  // security 26
  it('accepts a link once, keeps the password and signs no user in', async () => {
    const { user, link } = await begin();
    const first = await verify(link.token);
    expect([first.status, first.body]).toEqual([200, { status: 'ok' }]);
    expect(first.headers.getSetCookie()).toEqual([]);
    expect(await isVerified(user.id)).toBe(true);
    const second = await verify(link.token);
    expect([second.status, second.body]).toEqual([400, { detail: 'Invalid or expired token' }]);
    expect((await world.login(user, app.id)).status).toBe(200);
    const audit = await world.sql('SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = $2', [
      user.id,
      'user.email_verified',
    ]);
    expect(audit).toHaveLength(1);
  });

  // security 26
  it('does not happen by HEAD, prefetch or opening the mailed page', async () => {
    const { user, link } = await begin();
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(link.path);
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(page.body).toContain(user.email);
    expect(page.body).toContain('Did you create this account?');
    // The person who signed up has chosen it.
    expect(page.body).not.toContain('Grace Hopper');
    await verify(link.token, {}, 'HEAD');
    await verify(link.token, { 'Sec-Purpose': 'prefetch;prerender' });
    await verify(link.token, { Purpose: 'prefetch' });
    await world.call('HEAD', link.path);
    expect(await isVerified(user.id)).toBe(false);
    const done = await browser.get(`${page.formAction()}?token=${link.token}`);
    expect([done.status, await isVerified(user.id)]).toEqual([200, true]);
    expect(done.body).toContain('is confirmed');
    expect(ssoCookieOf(done)).toBeUndefined();
    expect((await browser.get(link.path)).status).toBe(400);
  });

  it('has a link that is valid for 24 hours', async () => {
    const { user, link } = await begin();
    const [row] = await world.sql<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 AS hours FROM mail_links WHERE user_id = $1',
      [user.id],
    );
    expect(row!.hours).toBe(24);
    await world.sql("UPDATE mail_links SET expires_at = now() - interval '1 second' WHERE user_id = $1", [user.id]);
    expect((await verify(link.token)).status).toBe(400);
    expect((await new HostedBrowser(world.baseUrl).get(link.path)).status).toBe(400);
    expect(await isVerified(user.id)).toBe(false);
  });

  // security 26
  it('rejects a link after the account has a new address', async () => {
    const { user, link } = await begin();
    const other = `other-${unique()}@example.com`;
    await world.sql('UPDATE users SET email = $2, email_canonical = $2 WHERE id = $1', [user.id, other]);
    expect((await verify(link.token)).body).toEqual({ detail: 'Invalid or expired token' });
    expect((await new HostedBrowser(world.baseUrl).get(link.path)).status).toBe(400);
    expect(await isVerified(user.id)).toBe(false);
  });

  // security 28
  it('removes an account that the address’s owner rejects', async () => {
    const { user, link } = await begin();
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(link.path);
    const fields = { form_token: page.formToken(), token: link.token };
    const stranger = await new HostedBrowser(world.baseUrl).post('/verify-email/not-me', fields);
    expect([stranger.status, await isVerified(user.id)]).toEqual([403, false]);
    const gone = await browser.post('/verify-email/not-me', fields);
    expect([gone.status, await isVerified(user.id)]).toEqual([200, undefined]);
    expect(gone.body).toContain(`href="${new URL(app.redirectUri).origin}/"`);
    expect((await world.login(user, app.id)).status).toBe(401);
    const me = await world.call('GET', '/userinfo', undefined, { token: user.tokens.access_token });
    expect(me.status).toBe(401);
    expect((await browser.post('/verify-email/not-me', fields)).status).toBe(400);
  });

  const disown = async (token: string) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(`/verify-email?token=${token}`);
    return browser.post('/verify-email/not-me', { form_token: page.formToken(), token });
  };

  it('tells tenants and apps of an account that the address’s owner rejects', async () => {
    const config = { backchannel_logout_uri: 'https://shop.example/logged-out' };
    const shop = await world.app(await world.tenant(), { registration_policy: 'open', config });
    const user = await signUpUser(world, shop);
    const { token } = linkIn(await mailing.smtp.next(user.email, SUBJECT));
    expect((await disown(token)).status).toBe(200);
    const entries = await world.sql(
      'SELECT action, app_id, metadata FROM audit_entries WHERE user_id = $1 ORDER BY ordinal DESC LIMIT 2',
      [user.id],
    );
    expect(entries).toMatchObject([
      { action: 'user.deleted', metadata: { by: 'address_owner', email: user.email } },
      { action: 'enrollment.removed', app_id: shop.id, metadata: { reason: 'user_deleted' } },
    ]);
    const notices = `SELECT 1 FROM outbox_messages WHERE job = 'tokens.logout_notice' AND payload ->> 'userId' = $1`;
    expect(await world.sql(notices, [user.id])).toHaveLength(1);
  });

  /** An account that has not proven its address, and its link. */
  const unproven = async (at: { id: string }, fields: Record<string, unknown>) => {
    const user = await world.user(at, { email_verified: false, ...fields });
    await world.asAdmin('POST', `/admin/users/${user.id}/apps/${at.id}/verification-link`);
    return { user, ...linkIn(await mailing.smtp.next(user.email, SUBJECT)) };
  };

  it.each([
    ['of a tenant', 'console'],
    ['alone of an app', 'app'],
  ])('removes an unproven account that administers, %s, and says that no one is left', async (_, where) => {
    const tenant = await world.tenant();
    const at = where === 'console' ? { id: tenant.consoleAppId } : await world.app(tenant);
    const { user, token } = await unproven(at, { roles: where === 'console' ? [] : ['admin'] });
    const answer = await disown(token);
    expect([answer.status, await isVerified(user.id)]).toEqual([200, undefined]);
    const [entry] = await world.sql(
      "SELECT tenant_id, metadata FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.removed'",
      [user.id],
    );
    expect(entry).toMatchObject({ tenant_id: tenant.id, metadata: { reason: 'user_deleted', last_admin: true } });
  });

  it('keeps a platform admin if the address’s owner rejects the account', async () => {
    const { user, token } = await unproven(app, {});
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [user.id]);
    const answer = await disown(token);
    expect([answer.status, await isVerified(user.id)]).toEqual([409, false]);
    expect(answer.body).toContain('The account can’t be removed here');
    expect((await verify(token)).status).toBe(200);
  });

  /** What is left of a rejected account: a new one with the same address, and its memberships. */
  const leftOf = async (email: string) => {
    const [row] = await world.sql<{ id: string } & Record<string, unknown>>(
      `SELECT id, is_active, email_verified, password_hash, made_by_owner, display_name = split_part(email, '@', 1) AS nameless
       FROM users WHERE email = $1`,
      [email],
    );
    const memberships = await world.sql('SELECT app_id, roles, status FROM enrollments WHERE user_id = $1', [row?.id]);
    return { row, memberships };
  };
  const bare = { is_active: true, email_verified: false, password_hash: null, made_by_owner: false, nameless: true };

  it('keeps only the suspensions of an account that the address’s owner rejects', async () => {
    const { user, link } = await begin();
    const other = await world.app(await world.tenant());
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] });
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: ['admin'] });
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    const answer = await disown(link.token);
    expect([answer.status, await isVerified(user.id)]).toEqual([200, undefined]);
    expect(answer.body).toContain('Your address stays suspended');
    const { row, memberships } = await leftOf(user.email);
    expect(row).toMatchObject(bare);
    expect(memberships).toEqual([{ app_id: app.id, roles: ['user'], status: 'suspended' }]);
    const entries = await world.sql(
      'SELECT action, tenant_id, metadata FROM audit_entries WHERE user_id = $1 ORDER BY ordinal',
      [row!.id],
    );
    expect(entries).toMatchObject([
      { action: 'user.created', metadata: { by: 'address_owner' } },
      {
        action: 'enrollment.created',
        tenant_id: app.tenantId,
        metadata: { by: 'address_owner', status: 'suspended', roles: ['user'] },
      },
    ]);

    expect((await signUp(world, app, { email: user.email })).body).toEqual({ detail: 'Account already exists' });
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const reset = linkIn(await mailing.smtp.next(user.email, 'Set a new password'));
    const body = { token: reset.token, password: PASSWORD };
    expect((await world.call('POST', '/auth/reset-password', body)).status).toBe(200);
    expect((await world.login(user, app.id)).status).toBe(403);
  });

  const invitedTo = (tenant: TestTenant) => world.app(tenant, { registration_policy: 'invite' });
  /** Makes an app whose members join only in this way. */
  const joined = {
    approval: (tenant: TestTenant) => world.app(tenant, { registration_policy: 'approval' }),
    consent: (tenant: TestTenant) => selfRegisteredApp(world, tenant),
    'an invite for everyone': async (tenant: TestTenant) => {
      const made = await invitedTo(tenant);
      await newInvite(world, made);
      return made;
    },
    'an invite for another address': async (tenant: TestTenant) => {
      const made = await invitedTo(tenant);
      await newInvite(world, made, { send_to_email: `other-${unique()}@example.com` });
      return made;
    },
    'an invite that is used up': async (tenant: TestTenant) => {
      const made = await invitedTo(tenant);
      const invite = await newInvite(world, made, { max_uses: 1 });
      await world.sql('UPDATE invites SET use_count = max_uses WHERE id = $1', [invite.id]);
      return made;
    },
    'nothing, because it is archived': async (tenant: TestTenant) => {
      const made = await world.app(tenant, { registration_policy: 'open' });
      await world.asAdmin('POST', `/admin/apps/${made.id}/archive`);
      return made;
    },
  };
  const suspendedIn = async (at: { id: string }) => {
    const { user, token } = await unproven(app, {});
    await enrolDirectly(world, at, user);
    await world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1 AND app_id = $2", [user.id, at.id]);
    return { user, answer: await disown(token) };
  };

  it.each(Object.keys(joined) as (keyof typeof joined)[])(
    'keeps a suspension in an app that is joined by %s',
    async (way) => {
      const at = await joined[way](await world.tenant());
      const { user, answer } = await suspendedIn(at);
      expect(answer.body).toContain('contact the administrator of the app or the operator of this service');
      const { memberships } = await leftOf(user.email);
      expect(memberships).toEqual([{ app_id: at.id, roles: ['user'], status: 'suspended' }]);
    },
  );

  it('keeps no membership of a Console app, whose suspension an administrator could end for a stranger', async () => {
    const at = { id: (await world.tenant()).consoleAppId };
    await newInvite(world, at);
    const { user, token } = await unproven(at, {});
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: at.id });
    expect(wordsOf(await disown(token))).toContain('no longer exists');
    expect(await leftOf(user.email)).toEqual({ row: undefined, memberships: [] });
  });

  it('keeps the address of an account that is switched off switched off', async () => {
    const { user, link } = await begin();
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    const answer = await disown(link.token);
    expect([answer.status, wordsOf(answer)]).toEqual([
      200,
      expect.stringMatching(/the account was deactivated.* contact the operator of this service/),
    ]);
    expect(wordsOf(answer)).not.toContain('suspended');
    expect(await leftOf(user.email)).toMatchObject({ row: { ...bare, is_active: false }, memberships: [] });
    expect((await signUp(world, app, { email: user.email })).body).toEqual({ detail: 'Account already exists' });
  });

  it('keeps a verified account if an older page rejects it', async () => {
    const { user, link } = await begin();
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(link.path);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);
    const fields = { form_token: page.formToken(), token: link.token };
    expect((await browser.post('/verify-email/not-me', fields)).status).toBe(400);
    expect(await isVerified(user.id)).toBe(true);
    expect((await browser.get(link.path)).body).not.toContain('/verify-email/not-me');
  });

  it('mails another link to the signed-in user, which invalidates the older ones', async () => {
    const { user, link } = await begin();
    const answer = await send({ Cookie: user.ssoCookie! });
    expect([answer.status, answer.body]).toEqual([200, { status: 'sent' }]);
    const newer = await eventually('a second mail', () => mailing.smtp.to(user.email)[1]);
    expect((await verify(link.token)).status).toBe(400);
    expect((await verify(linkIn(newer).token)).status).toBe(200);
  });

  it('gives the same answer without a session, when verified and over the limit, and mails nothing then', async () => {
    const { user } = await begin();
    expect(await send()).toMatchObject({ status: 200, body: { status: 'sent' } });
    for (let round = 0; round < 5; round++)
      expect(await send({ Cookie: user.ssoCookie! })).toMatchObject({ status: 200, body: { status: 'sent' } });
    const verified = await begin();
    await verify(verified.link.token);
    expect(await send({ Cookie: verified.user.ssoCookie! })).toMatchObject({ status: 200, body: { status: 'sent' } });
    // E-mails may overtake each other: the last of the four first, then one that was asked for after everything.
    await eventually('four e-mails', () => mailing.smtp.to(user.email).length >= 4);
    const witness = await begin();
    expect(witness.link.token).toBeDefined();
    expect(mailing.smtp.to(user.email)).toHaveLength(4);
    expect(mailing.smtp.to(verified.user.email)).toHaveLength(1);
  });

  it('mails nothing for a page of another origin', async () => {
    const { user } = await begin();
    expect((await send({ Cookie: user.ssoCookie!, Origin: 'https://evil.example' })).status).toBe(403);
  });

  it('returns an error that names a missing or repeated token', async () => {
    const missing = await world.call('GET', '/auth/verify-email');
    expect([missing.status, missing.body]).toEqual([
      422,
      { detail: [{ loc: ['query', 'token'], msg: 'Field required', type: 'missing' }] },
    ]);
    expect((await world.call('GET', '/auth/verify-email?token=a&token=b')).status).toBe(422);
    expect((await verify('nonsense')).body).toEqual({ detail: 'Invalid or expired token' });
  });
});
