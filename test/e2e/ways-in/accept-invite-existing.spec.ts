import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  acceptAlone,
  bearer,
  INVALID,
  type InviteRecord,
  type JoinAnswer,
  mailedInvite,
  newInvite,
  NOT_THEIRS,
  said,
  SIGN_IN,
} from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser, ssoCookieOf } from '../../support/new-user.js';
import { readJwt } from '../../support/jwt-parts.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

const PASSWORD_ONLY = { config: { allowed_providers: ['password'] } };
const THIRD_PARTY = { config: { third_party: true, allowed_providers: ['password', 'magic_link'] } };

// security 29, 85
describe('Invite accepted by a user with an account', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let open: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { available_roles: ['user', 'editor', 'manager', 'admin'] } });
    sibling = await world.app(tenant);
    open = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const sessionOf = async (user: TestUser, at: { id: string }) => ({
    Cookie: ssoCookieOf(await world.login(user, at.id))!,
  });
  const enrollmentOf = async (user: { id: string }, at = app) =>
    (
      await world.sql<{ status: string; roles: string[] }>(
        'SELECT status, roles FROM enrollments WHERE user_id = $1 AND app_id = $2',
        [user.id, at.id],
      )
    )[0];
  const usesOf = async (invite: InviteRecord) =>
    (await world.sql<{ use_count: number }>('SELECT use_count FROM invites WHERE id = $1', [invite.id]))[0]!.use_count;
  const mailedTo = (email: string, fields: Record<string, unknown> = {}) => mailedInvite(mailing, app, email, fields);
  const ownAccountCounters = async ({ id }: TestUser) => {
    const path = `/admin/users/${id}/rate-limits`;
    const { rate_limits } = await world.asAdmin<{ rate_limits: { label: string; key: string }[] }>('GET', path);
    return rate_limits.filter(({ label }) => label === 'own_account').map(({ key }) => key);
  };
  const claims = (answer: JoinAnswer) => readJwt(answer.body.access_token).payload;

  describe('is rejected with the invite code alone:', () => {
    it.each([
      ['with the address', (email: string) => ({ email })],
      [
        'with a name and a password for it',
        (email: string) => ({ email, display_name: 'X', password: 'new password' }),
      ],
      ['with the right password, which is not asked here', (email: string) => ({ email, password: 'correct horse' })],
    ])('%s', async (_, fields) => {
      const user = await world.user(sibling);
      const invite = await newInvite(world, app);
      const answer = await acceptAlone(world, app, invite.code, fields(user.email));
      expect(said(answer)).toEqual(SIGN_IN);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect([await enrollmentOf(user), await usesOf(invite)]).toEqual([undefined, 0]);
      expect((await world.login(user, sibling.id)).status).toBe(200);
    });

    it('with only app and code', async () => {
      expect(said(await acceptAlone(world, app, (await newInvite(world, app)).code))).toEqual(SIGN_IN);
    });

    it('at POST /auth/invite', async () => {
      const user = await world.user(sibling);
      const { code } = await newInvite(world, app);
      const body = { invite_code: code, email: user.email, display_name: 'X', password: 'another password' };
      expect(said(await world.call('POST', '/auth/invite', body))).toEqual(SIGN_IN);
    });

    // An operator who may invite sees that code: it must not open the account of a user whom they name.
    it('with the code that administrators see of a mailed invite', async () => {
      const victim = world.admin;
      const appAdmin = await world.user(app, { roles: ['manager'] });
      const { access_token } = await world.tokens(appAdmin, app.id);
      const { body } = await world.call<InviteRecord>(
        'POST',
        `/admin/apps/${app.id}/invites`,
        { send_to_email: victim.email },
        { token: access_token },
      );
      expect(said(await acceptAlone(world, app, body.code))).toEqual(SIGN_IN);
      expect(said(await acceptAlone(world, app, body.code, { email: victim.email }))).toEqual(SIGN_IN);
      expect(said(await acceptAlone(world, app, body.code, {}, bearer(access_token)))).toEqual(NOT_THEIRS);
      expect([await enrollmentOf(victim), await usesOf(body)]).toEqual([undefined, 0]);
    });

    it.each([
      ['a session of another user', async () => sessionOf(await world.user(sibling), sibling)],
      ['a token of another user', async () => bearer((await world.tokens(await world.user(app), app.id)).access_token)],
      ['a session that is none', async () => ({ Cookie: 'sso=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })],
      ['a token that is none', async () => bearer('a.b.c')],
      ['a service token', async () => bearer(await world.serviceToken(app))],
    ])('with %s', async (_, headers) => {
      const user = await world.user(sibling);
      const { code } = await newInvite(world, app);
      const answer = await acceptAlone(world, app, code, { email: user.email }, await headers());
      expect(said(answer)).toEqual(SIGN_IN);
      expect(await enrollmentOf(user)).toBeUndefined();
    });

    it('for an account that is switched off', async () => {
      const user = await world.user(sibling);
      const { code } = await mailedTo(user.email);
      await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
      expect(said(await acceptAlone(world, app, code))).toEqual(SIGN_IN);
    });
  });

  describe('with the SSO session', () => {
    it('enrolls the user with only app and code; the session stays the same', async () => {
      const user = await world.user(sibling);
      const invite = await newInvite(world, app, { roles: ['editor'] });
      const headers = await sessionOf(user, sibling);
      const answer = await acceptAlone(world, app, invite.code, {}, headers);
      expect(answer.status).toBe(200);
      expect(claims(answer)).toMatchObject({ sub: user.id, aud: app.id, roles: ['user', 'editor'], amr: ['pwd'] });
      expect(answer.headers.getSetCookie()).toEqual([]);
      const again = await world.call('POST', '/auth/request-access', { app_id: app.id }, { headers });
      expect(said(again)).toEqual([200, { status: 'active' }]);
      expect(await usesOf(invite)).toBe(1);
    });

    it('keeps the session’s sign-in time', async () => {
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      await world.sql(`UPDATE sso_sessions SET auth_time = now() - interval '3 hours' WHERE user_id = $1`, [user.id]);
      const answer = await acceptAlone(world, app, (await newInvite(world, app)).code, {}, headers);
      expect(Date.now() / 1000 - (claims(answer)['auth_time'] as number)).toBeGreaterThan(3 * 3600 - 60);
    });

    it('ignores a name and a password in the request', async () => {
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      const fields = { email: user.email, display_name: 'Mallory', password: 'another password' };
      expect((await acceptAlone(world, app, (await newInvite(world, app)).code, fields, headers)).status).toBe(200);
      const [row] = await world.sql('SELECT display_name FROM users WHERE id = $1', [user.id]);
      expect(row).toEqual({ display_name: 'Ada Lovelace' });
      expect((await world.login(user, app.id)).status).toBe(200);
    });

    it('creates a new account for another address, and keeps the signed-in one unchanged', async () => {
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      const fields = { email: newAddress(), display_name: 'Grace' };
      const answer = await acceptAlone(world, app, (await newInvite(world, app)).code, fields, headers);
      expect(claims(answer)['email']).toBe(fields.email);
      expect(await enrollmentOf(user)).toBeUndefined();
    });

    it('is rejected if it was mailed to another user', async () => {
      const user = await world.user(sibling);
      const { invite, code } = await mailedTo(newAddress());
      const headers = await sessionOf(user, sibling);
      for (const each of [invite.code, code])
        expect(said(await acceptAlone(world, app, each, {}, headers))).toEqual(NOT_THEIRS);
      expect([await enrollmentOf(user), await usesOf(invite)]).toEqual([undefined, 0]);
    });

    it('is rejected if the session is idle, expired or signed out', async () => {
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
      const { code } = await newInvite(world, app);
      expect(said(await acceptAlone(world, app, code, { email: user.email }, headers))).toEqual(SIGN_IN);
    });
  });

  describe('with a bearer token', () => {
    const tokenFor = async (user: TestUser, at: { id: string }) =>
      bearer((await world.tokens(user, at.id)).access_token);

    it('of an app of the same tenant enrolls the user and creates no SSO session', async () => {
      const user = await world.user(sibling);
      const headers = await tokenFor(user, sibling);
      const answer = await acceptAlone(world, app, (await newInvite(world, app)).code, {}, headers);
      expect(claims(answer)).toMatchObject({ sub: user.id, aud: app.id, amr: ['pwd'] });
      expect(answer.headers.getSetCookie()).toEqual([]);
    });

    it('of such an app returns no tokens for an existing membership and is not used up', async () => {
      const user = await world.user(sibling);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] });
      const invite = await newInvite(world, app);
      const headers = await tokenFor(user, sibling);
      expect(said(await acceptAlone(world, app, invite.code, {}, headers))).toEqual(SIGN_IN);
      expect(await usesOf(invite)).toBe(0);
    });

    it.each([
      ['an invite that gives nothing new', ['user']],
      ['an invite with more roles', ['editor']],
    ])('of the app itself returns no refresh token for %s and is not used up', async (_, roles) => {
      const user = await world.user(app);
      const headers = await tokenFor(user, app);
      const families = () => world.sql('SELECT id FROM refresh_families WHERE user_id = $1', [user.id]);
      const before = await families();
      const invite = await newInvite(world, app, { roles, max_uses: 5 });
      expect(said(await acceptAlone(world, app, invite.code, {}, headers))).toEqual(SIGN_IN);
      expect(await families()).toEqual(before);
      expect([(await enrollmentOf(user))?.roles, await usesOf(invite)]).toEqual([['user'], 0]);
      const answer = await acceptAlone(world, app, invite.code, {}, await sessionOf(user, app));
      expect(claims(answer)['roles']).toEqual([...new Set(['user', ...roles])]);
    });

    it('of a Console works at every app', async () => {
      const user = await world.tenantAdmin(tenant);
      for (const consoleId of [tenant.consoleAppId, world.platformConsoleId]) {
        const at = await world.app(await world.tenant());
        const headers = await tokenFor(user, { id: consoleId });
        const answer = await acceptAlone(world, at, (await newInvite(world, at)).code, {}, headers);
        expect(answer.status).toBe(200);
      }
    });

    it('of another tenant’s app is rejected', async () => {
      const foreign = await world.app(await world.tenant());
      const user = await world.user(foreign);
      const invite = await newInvite(world, app);
      const headers = await tokenFor(user, foreign);
      expect(said(await acceptAlone(world, app, invite.code, {}, headers))).toEqual(SIGN_IN);
      expect([await enrollmentOf(user), await usesOf(invite)]).toEqual([undefined, 0]);
    });

    it('of a user suspended since is rejected', async () => {
      const user = await world.user(sibling);
      const headers = await tokenFor(user, sibling);
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: sibling.id });
      const { code } = await newInvite(world, app);
      expect(said(await acceptAlone(world, app, code, { email: user.email }, headers))).toEqual(SIGN_IN);
    });
  });

  describe('with the code from the mail', () => {
    it('gives tokens of that app, because it proves the mailbox, and no SSO session', async () => {
      const user = await world.user(sibling);
      const { invite, code } = await mailedTo(user.email, { roles: ['editor'] });
      const answer = await acceptAlone(world, app, code);
      expect(claims(answer)).toMatchObject({ sub: user.id, aud: app.id, roles: ['user', 'editor'], amr: ['email'] });
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await world.sql('SELECT 1 FROM sso_sessions WHERE user_id = $1', [user.id])).toEqual([]);
      expect(claims(answer)['sid']).toBeUndefined();
      const refresh = { refresh_token: answer.body.refresh_token, app_id: app.id };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(200);
      expect(await usesOf(invite)).toBe(1);
      expect((await world.login(user, app.id)).status).toBe(200);
    });

    // The app that is given the code must not get what it could not get by its own sign-in (ASVS 10.3.1).
    it.each<[string, (user: TestUser) => Promise<{ id: string }>, Record<string, unknown>]>([
      ['at an app that takes no sign-in links by mail', () => world.app(tenant, PASSWORD_ONLY), {}],
      ['at a Console', async () => ({ id: tenant.consoleAppId }), {}],
    ])('gives nothing %s, and is not used up', async (_, inviting, fields) => {
      const user = await world.user(sibling);
      const at = await inviting(user);
      const { invite, code } = await mailedInvite(mailing, at, user.email, fields);
      const before = await enrollmentOf(user, at as TestClient);
      const answer = await acceptAlone(world, at, code);
      expect([said(answer), answer.headers.getSetCookie()]).toEqual([SIGN_IN, []]);
      expect([await enrollmentOf(user, at as TestClient), await usesOf(invite)]).toEqual([before, 0]);
      // Nor does it use up what the user needs for the forms of the account page.
      expect(await ownAccountCounters(user)).toEqual([`user:${user.id} ${at.id}`]);
      expect((await acceptAlone(world, at, code, {}, await sessionOf(user, sibling))).status).toBe(200);
    });

    it.each([
      ['at an app without sign-in links by mail', PASSWORD_ONLY],
      ['at a third-party app', THIRD_PARTY],
    ])('leaves an account with an unproven address as it is where it gives nothing: %s', async (_, settings) => {
      const squatter = await signUpUser(world, open);
      const at = await world.app(tenant, settings);
      const { invite, code } = await mailedInvite(mailing, at, squatter.email);
      expect(said(await acceptAlone(world, at, code))).toEqual(SIGN_IN);
      expect([await enrollmentOf(squatter, at), await usesOf(invite)]).toEqual([undefined, 0]);
      const [row] = await world.sql('SELECT email_verified FROM users WHERE id = $1', [squatter.id]);
      expect(row).toEqual({ email_verified: false });
      expect((await world.login(squatter, open.id)).status).toBe(200);
    });

    it('signs in only at its first use, even if several are allowed', async () => {
      const user = await world.user(sibling);
      const { invite, code } = await mailedTo(user.email, { max_uses: 3 });
      expect((await acceptAlone(world, app, code)).status).toBe(200);
      expect(said(await acceptAlone(world, app, code))).toEqual(SIGN_IN);
      expect(await usesOf(invite)).toBe(1);
    });

    it('does not sign in if an earlier use was made with the other code', async () => {
      const user = await world.user(sibling);
      const { invite, code } = await mailedTo(user.email, { max_uses: 3 });
      const headers = await sessionOf(user, sibling);
      expect((await acceptAlone(world, app, invite.code, {}, headers)).status).toBe(200);
      expect(said(await acceptAlone(world, app, code))).toEqual(SIGN_IN);
    });

    it('does not sign in if the account has a new address', async () => {
      const user = await world.user(sibling);
      const { code } = await mailedTo(user.email);
      const moved = newAddress();
      await world.sql('UPDATE users SET email = $2, email_canonical = $2 WHERE id = $1', [user.id, moved]);
      expect(said(await acceptAlone(world, app, code, { email: moved }))).toEqual(NOT_THEIRS);
      const fresh = await acceptAlone(world, app, code, { display_name: 'Whoever reads the mailbox' });
      expect(claims(fresh)['sub']).not.toBe(user.id);
    });

    // security 28, 29
    it('takes over an account with an unproven address and removes its old credentials', async () => {
      const squatter = await signUpUser(world, open);
      const { code } = await mailedTo(squatter.email, { roles: ['admin'] });
      const answer = await acceptAlone(world, app, code);
      expect(claims(answer)).toMatchObject({ sub: squatter.id, email_verified: true, roles: ['user', 'admin'] });
      expect((await world.login(squatter, open.id)).status).toBe(401);
      const refresh = { refresh_token: squatter.tokens.refresh_token, app_id: open.id };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
      const old = await world.call(
        'POST',
        '/auth/request-access',
        { app_id: app.id },
        {
          headers: { Cookie: squatter.ssoCookie! },
        },
      );
      expect(old.status).toBe(401);
    });
  });

  describe('at a third-party app, where users consent on a page', () => {
    it.each<[string, (user: TestUser) => Promise<Record<string, string>>]>([
      ['the code from the mail', async () => ({})],
      ['an SSO session', (user) => sessionOf(user, sibling)],
      ['a token', async (user) => bearer((await world.tokens(user, sibling.id)).access_token)],
    ])('%s changes nothing, and the invite is not used up', async (_, headers) => {
      const [user, at] = [await world.user(sibling), await world.app(tenant, THIRD_PARTY)];
      const { invite, code } = await mailedInvite(mailing, at, user.email);
      expect(said(await acceptAlone(world, at, code, {}, await headers(user)))).toEqual(SIGN_IN);
      expect([await enrollmentOf(user, at), await usesOf(invite)]).toEqual([undefined, 0]);
    });

    it.each([
      ['', {}],
      [', also where a second factor comes first', { require_2fa: true }],
      [', also where a proven address comes first', { require_verified_email: true }],
    ])('a new user gets no account over JSON%s', async (_, config) => {
      const at = await world.app(tenant, { config: { ...THIRD_PARTY.config, ...config } });
      const invite = await newInvite(world, at);
      const email = newAddress();
      const answer = await acceptAlone(world, at, invite.code, {
        email,
        display_name: 'Grace',
        password: 'a good password',
      });
      expect(said(answer)).toEqual([400, { detail: 'Invalid app_id' }]);
      expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
      expect(await usesOf(invite)).toBe(0);
    });
  });

  // security 29
  it('gives nothing for a matching address that is unproven', async () => {
    const squatter = await signUpUser(world, open);
    const { invite } = await mailedTo(squatter.email, { roles: ['admin'] });
    const guesses = [{}, { email: squatter.email }, { email: squatter.email, password: squatter.password }];
    for (const fields of guesses) {
      const ways: Record<string, string>[] = [
        {},
        { Cookie: squatter.ssoCookie! },
        bearer(squatter.tokens.access_token),
      ];
      for (const headers of ways) {
        const answer = await world.call(
          'POST',
          '/auth/accept-invite',
          { app_id: app.id, invite_code: '0000000000000', ...fields },
          { headers },
        );
        expect(said(answer)).toEqual(INVALID);
      }
    }
    expect((await world.login(squatter, app.id)).status).toBe(403);
    expect([await enrollmentOf(squatter), await usesOf(invite)]).toEqual([undefined, 0]);
  });

  describe('and already in the app', () => {
    it('as an active member keeps the roles and adds those of the invite', async () => {
      const user = await world.user(app, { roles: ['manager'] });
      const invite = await newInvite(world, app, { roles: ['editor'] });
      const answer = await acceptAlone(world, app, invite.code, {}, await sessionOf(user, app));
      expect(claims(answer)['roles']).toEqual(['user', 'manager', 'editor']);
      expect(await enrollmentOf(user)).toEqual({ status: 'active', roles: ['user', 'manager', 'editor'] });
      const [entry] = await world.sql(
        `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.roles_changed'`,
        [user.id],
      );
      expect(entry).toEqual({
        metadata: { before: ['user', 'manager'], after: ['user', 'manager', 'editor'], by: 'invite' },
      });
    });

    it('with all its roles does not use the invite up', async () => {
      const user = await world.user(app, { roles: ['editor'] });
      const invite = await newInvite(world, app, { roles: ['editor'], max_uses: 1 });
      const headers = await sessionOf(user, app);
      for (let time = 0; time < 3; time++)
        expect((await acceptAlone(world, app, invite.code, {}, headers)).status).toBe(200);
      expect(await usesOf(invite)).toBe(0);
      const accepted = `SELECT 1 FROM audit_entries WHERE action = 'invite.accepted' AND target_id = $1`;
      expect(await world.sql(accepted, [invite.id])).toEqual([]);
    });

    it('with all its roles spends the code from the mail', async () => {
      const user = await world.user(app);
      const { invite, code } = await mailedTo(user.email);
      const answer = await acceptAlone(world, app, code);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
      expect(await usesOf(invite)).toBe(1);
      expect(said(await acceptAlone(world, app, code))).toEqual(INVALID);
    });

    it('and waiting for approval becomes active', async () => {
      const approval = await world.app(tenant, { registration_policy: 'approval' });
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      const asked = await world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers });
      expect(asked.body).toEqual({ status: 'pending' });
      const answer = await acceptAlone(world, approval, (await newInvite(world, approval)).code, {}, headers);
      expect(answer.status).toBe(200);
      expect(await enrollmentOf(user, approval)).toEqual({ status: 'active', roles: ['user'] });
      const [entry] = await world.sql(
        `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.approved'`,
        [user.id],
      );
      expect(entry).toEqual({ metadata: { roles: ['user'], by: 'invite' } });
    });

    it('and waiting for approval of more than the invite gives, gets what the invite gives', async () => {
      const approval = await world.app(tenant, {
        registration_policy: 'approval',
        config: { available_roles: ['user', 'editor', 'manager', 'admin'], auto_assign_roles: ['user', 'admin'] },
      });
      const user = await world.user(sibling);
      const headers = await sessionOf(user, sibling);
      await world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers });
      expect(await enrollmentOf(user, approval)).toEqual({ status: 'pending', roles: ['user', 'admin'] });
      const { code } = await newInvite(world, approval, { roles: ['editor'] });
      expect((await acceptAlone(world, approval, code, {}, headers)).status).toBe(200);
      expect(await enrollmentOf(user, approval)).toEqual({ status: 'active', roles: ['user', 'editor'] });
    });

    it('and suspended stays suspended, and the invite is not used up, by session or by mail', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
      const headers = await sessionOf(user, sibling);
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
      const { invite, code } = await mailedTo(user.email, { roles: ['admin'] });
      for (const how of [headers, {}] as Record<string, string>[]) {
        const answer = await acceptAlone(world, app, code, {}, how);
        expect(said(answer)).toEqual([403, { detail: 'Account suspended' }]);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
      expect([await enrollmentOf(user), await usesOf(invite)]).toEqual([{ status: 'suspended', roles: ['user'] }, 0]);
    });
  });

  // docs/decisions/0070
  describe('whose creator has lost their authority', () => {
    const refusals = ({ id }: InviteRecord) =>
      world.sql(
        `SELECT user_id, app_id, tenant_id, outcome, metadata FROM audit_entries
         WHERE action = 'invite.refused' AND target_id = $1`,
        [id],
      );
    const invitedBy = async (maker: TestUser, to: { id: string }, roles: string[]) => {
      const { access_token } = await world.tokens(maker, to.id);
      const fields = { roles, max_uses: 100_000, expires_days: 365 };
      const { body } = await world.call<InviteRecord>('POST', `/admin/apps/${to.id}/invites`, fields, {
        token: access_token,
      });
      return body;
    };
    const asAdmin = async (method: string, path: string, body?: unknown) => {
      await world.asAdmin(method, path, body);
    };
    const consoleApp = (): TestClient => ({ ...app, id: tenant.consoleAppId });
    const strip = (maker: TestUser) => asAdmin('PUT', `/admin/users/${maker.id}/roles`, { app_id: app.id, roles: [] });
    const appAdmin = () => world.user(app, { roles: ['admin'] });

    it.each<[string, () => Promise<TestUser>, () => TestClient, string[], (maker: TestUser) => Promise<void>]>([
      [
        'a tenant admin who was removed, to the Console app',
        () => world.tenantAdmin(tenant),
        consoleApp,
        ['user'],
        (maker) => asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${maker.id}`),
      ],
      ['an app admin who lost the role, for admins', appAdmin, () => app, ['admin'], strip],
      ['an app admin who lost the role, for managers', appAdmin, () => app, ['manager'], strip],
      ['an app admin who lost the role, for a role of the app’s own', appAdmin, () => app, ['editor'], strip],
      [
        'an app admin who was suspended',
        appAdmin,
        () => app,
        ['admin'],
        (maker) => asAdmin('POST', `/admin/users/${maker.id}/suspend`, { app_id: app.id }),
      ],
      [
        'a platform admin who was demoted, to the Console app',
        () => world.user(consoleApp(), { is_platform_admin: true }),
        consoleApp,
        ['user'],
        async (maker) => {
          await asAdmin('PUT', `/admin/users/${maker.id}/promote`);
          await asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${maker.id}`);
        },
      ],
      [
        'a tenant admin whose account was deleted',
        () => world.tenantAdmin(tenant),
        consoleApp,
        ['user'],
        (maker) => asAdmin('DELETE', `/admin/users/${maker.id}`),
      ],
      [
        'an app admin who lost the role and whose account was deleted, for a role of the app’s own',
        appAdmin,
        () => app,
        ['editor'],
        async (maker) => {
          await strip(maker);
          await asAdmin('DELETE', `/admin/users/${maker.id}`);
        },
      ],
    ])('is refused like one that is used up: %s', async (_, make, to, roles, dismiss) => {
      const maker = await make();
      const other = await world.user(sibling);
      const headers = await sessionOf(other, sibling);
      const invite = await invitedBy(maker, to(), roles);
      await dismiss(maker);
      expect(said(await acceptAlone(world, to(), invite.code, {}, headers))).toEqual(INVALID);
      expect([await enrollmentOf(other, to()), await usesOf(invite)]).toEqual([undefined, 0]);
      const seen = await world.asAdmin<InviteRecord>('GET', `/admin/invites/${invite.id}`);
      expect([seen.status, seen.use_count]).toEqual(['exhausted', 0]);
      expect((await world.call('GET', `/invite?code=${invite.code}`)).status).toBe(400);
      expect(await refusals(invite)).toEqual([
        {
          user_id: other.id,
          app_id: to().id,
          tenant_id: tenant.id,
          outcome: 'denied',
          metadata: { reason: 'inviter_lost_authority' },
        },
      ]);
    });

    it('does not make a removed tenant admin one again by their own session', async () => {
      const maker = await world.tenantAdmin(tenant);
      const invite = await invitedBy(maker, consoleApp(), ['user']);
      await asAdmin('PUT', `/admin/users/${maker.id}/roles`, { app_id: sibling.id, roles: [] });
      const headers = await sessionOf(maker, sibling);
      await asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${maker.id}`);
      expect(said(await acceptAlone(world, consoleApp(), invite.code, {}, headers))).toEqual(INVALID);
      expect(await enrollmentOf(maker, consoleApp())).toBeUndefined();
    });

    it('works again when it was sent again by another administrator', async () => {
      const maker = await appAdmin();
      const invite = await invitedBy(maker, app, ['admin']);
      await strip(maker);
      const renewed = await world.asAdmin<InviteRecord>('POST', `/admin/invites/${invite.id}/resend`, {});
      const other = await world.user(sibling);
      const headers = await sessionOf(other, sibling);
      expect((await acceptAlone(world, app, renewed.code, {}, headers)).status).toBe(200);
      expect(await enrollmentOf(other)).toEqual({ status: 'active', roles: ['user', 'admin'] });
    });

    it('still admits users if it gives nothing but the role user', async () => {
      const maker = await appAdmin();
      const invite = await invitedBy(maker, app, ['user']);
      await strip(maker);
      const headers = await sessionOf(await world.user(sibling), sibling);
      expect((await acceptAlone(world, app, invite.code, {}, headers)).status).toBe(200);
    });

    it('made by the app’s own server gives roles only as long as the app may create invites', async () => {
      const own = await world.app(tenant, { config: { available_roles: ['user', 'editor', 'admin'] } });
      const token = await world.serviceToken(own);
      const made = await world.call<InviteRecord>(
        'POST',
        '/admin/invites',
        { app_id: own.id, roles: ['editor'], max_uses: 2 },
        { token },
      );
      const accept = async () => {
        const headers = await sessionOf(await world.user(sibling), sibling);
        return said(await acceptAlone(world, own, made.body.code, {}, headers));
      };
      expect((await accept())[0]).toBe(200);
      await asAdmin('PUT', `/admin/apps/${own.id}`, { service_scopes: ['users:read'] });
      expect(await accept()).toEqual(INVALID);
    });

    it('at the same moment waits for the removal, and is refused', async () => {
      const maker = await world.tenantAdmin(tenant);
      const invite = await invitedBy(maker, consoleApp(), ['user']);
      const headers = await sessionOf(await world.user(sibling), sibling);
      const removal = new Client({ connectionString: mailing.service.settings.databaseUrl! });
      await removal.connect();
      try {
        await removal.query('BEGIN');
        await removal.query('DELETE FROM enrollments WHERE user_id = $1', [maker.id]);
        const answer = acceptAlone(world, consoleApp(), invite.code, {}, headers);
        await eventually('the invite waits for the removal', async () => {
          const [row] = await world.sql<{ count: number }>(
            `SELECT count(*)::int AS count FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE OF e%'`,
          );
          return row!.count > 0;
        });
        await removal.query('COMMIT');
        expect(said(await answer)).toEqual(INVALID);
      } finally {
        await removal.end();
      }
      expect(await usesOf(invite)).toBe(0);
    });
  });
});
