import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  acceptAlone,
  acceptNew,
  codeIn,
  INVALID,
  type InviteRecord,
  newInvite,
  NOT_THEIRS,
  said,
} from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, ssoCookieOf } from '../../support/new-user.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type TestClient, PASSWORD, type TestTenant, unique, type World } from '../../support/world.js';

const POLICIES = ['open', 'approval', 'invite'] as const;

// security 27, 85
describe('Invite accepted by a new user', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => mailing.close());

  const accountOf = async (email: string) =>
    (
      await world.sql<{ id: string; email_verified: boolean; password_hash: string | null }>(
        'SELECT id, email_verified, password_hash FROM users WHERE email_canonical = $1',
        [email],
      )
    )[0];
  const enrolled = (email: string) =>
    world.sql(
      `SELECT e.app_id, e.status, e.roles FROM enrollments e JOIN users u ON u.id = e.user_id WHERE u.email_canonical = $1`,
      [email],
    );
  const usesOf = async (invite: InviteRecord) =>
    (await world.sql<{ use_count: number }>('SELECT use_count FROM invites WHERE id = $1', [invite.id]))[0]!.use_count;
  const mailedCode = async (email: string) => codeIn(await mailing.smtp.next(email, 'You are invited'));

  describe.each(POLICIES)('at an app with the policy %s', (registration_policy) => {
    it.each([
      ['with a password', PASSWORD, ['pwd']],
      ['without a password', undefined, []],
    ])('%s creates an account, active with the invite’s roles, and returns tokens', async (_, password, amr) => {
      const at = await world.app(tenant, { registration_policy });
      const invite = await newInvite(world, at, { roles: ['manager'] });
      const email = newAddress();
      const answer = await acceptNew(world, at, invite.code, { email, password });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900, refresh_token: expect.any(String) });
      const { payload } = readJwt(answer.body.access_token);
      expect(payload).toMatchObject({ aud: at.id, roles: ['user', 'manager'], email_verified: false, amr });
      expect(await enrolled(email)).toEqual([{ app_id: at.id, status: 'active', roles: ['user', 'manager'] }]);
      expect(((await accountOf(email))!.password_hash === null) === (password === undefined)).toBe(true);
      expect(await usesOf(invite)).toBe(1);
      const refresh = { refresh_token: answer.body.refresh_token, app_id: at.id };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(200);
    });
  });

  it('by POST /auth/invite, which needs no app_id, returns the same', async () => {
    for (const appId of [undefined, app.id, app.id.toUpperCase()]) {
      const { code } = await newInvite(world, app);
      const email = newAddress();
      const answer = await world.call<{ access_token: string }>('POST', '/auth/invite', {
        invite_code: code.toLowerCase(),
        app_id: appId,
        email,
        display_name: 'Grace Hopper',
        password: PASSWORD,
        device_id: 'phone',
      });
      expect(answer.status).toBe(200);
      expect(ssoCookieOf(answer)).toBeDefined();
      const me = await world.call('GET', '/userinfo', undefined, { token: answer.body.access_token });
      expect(me.body).toMatchObject({ email, name: 'Grace Hopper', roles: ['user'] });
      const families = await world.sql(
        'SELECT device_id FROM refresh_families f JOIN users u ON u.id = f.user_id WHERE u.email = $1',
        [email],
      );
      expect(families).toEqual([{ device_id: 'phone' }]);
    }
  });

  it('creates an SSO session that the hosted page accepts, and replaces the one of the request', async () => {
    const earlier = ssoCookieOf(await world.login(await world.user(app), app.id))!;
    const { code } = await newInvite(world, app);
    const newUser = { email: newAddress(), display_name: 'Grace' };
    const cookie = ssoCookieOf(await acceptAlone(world, app, code, newUser, { Cookie: earlier }))!;
    const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri }).toString();
    const authorizeWith = (Cookie: string) =>
      world.call('GET', `/login?${query}`, undefined, { headers: { Cookie, Accept: 'text/html' } });
    expect(new URL((await authorizeWith(cookie)).headers.get('location')!).searchParams.get('code')).toMatch(
      /^.{20,}$/,
    );
    expect((await authorizeWith(earlier)).headers.get('location') ?? '').not.toContain('code=');
  });

  describe('does not verify the address with a code that administrators can see:', () => {
    it.each([
      ['not mailed', false],
      ['mailed to that very address', true],
    ])('%s, the account waits for its verification mail', async (_, mailed) => {
      const email = newAddress();
      const { code } = await newInvite(world, app, mailed ? { send_to_email: email } : {});
      expect((await acceptNew(world, app, code, { email })).status).toBe(200);
      expect((await accountOf(email))!.email_verified).toBe(false);
      expect((await mailing.smtp.next(email, 'Confirm your e-mail address')).recipients).toEqual([email]);
    });

    it('for any request body', async () => {
      const email = newAddress();
      const { code } = await newInvite(world, app);
      const claims = { email_verified: true, emailVerified: true, is_platform_admin: true, roles: ['admin'] };
      const answer = await acceptNew(world, app, code, { email, ...claims });
      expect(readJwt(answer.body.access_token).payload).toMatchObject({ email_verified: false, roles: ['user'] });
      const [row] = await world.sql('SELECT email_verified, is_platform_admin FROM users WHERE email = $1', [email]);
      expect(row).toEqual({ email_verified: false, is_platform_admin: false });
    });
  });

  it('verifies the address with the code from the mail, and sends no verification mail', async () => {
    const email = newAddress();
    await newInvite(world, app, { send_to_email: email });
    const code = await mailedCode(email);
    const answer = await acceptAlone(world, app, code, { display_name: 'Grace', email: email.toUpperCase() });
    expect(readJwt(answer.body.access_token).payload).toMatchObject({ email_verified: true, amr: ['email'] });
    expect((await accountOf(email))!.email_verified).toBe(true);
    const actions = await world.sql<{ action: string }>(
      `SELECT a.action FROM audit_entries a JOIN users u ON u.id = a.user_id WHERE u.email_canonical = $1 ORDER BY a.created_at, a.id`,
      [email],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'user.created',
      'enrollment.created',
      'invite.accepted',
      'user.email_verified',
      'user.login',
      'session.created',
    ]);
    const mails = await world.sql(`SELECT 1 FROM mail_links l JOIN users u ON u.id = l.user_id WHERE u.email = $1`, [
      email,
    ]);
    expect(mails).toEqual([]);
  });

  it('uses the address of the mail if none is given', async () => {
    const email = newAddress();
    await newInvite(world, app, { send_to_email: email });
    const answer = await acceptAlone(world, app, await mailedCode(email), { display_name: 'Grace' });
    expect([answer.status, readJwt(answer.body.access_token).payload['email']]).toEqual([200, email]);
  });

  // security 85
  it('and mailed to another user is rejected with either code and not used up', async () => {
    const owner = newAddress();
    const invite = await newInvite(world, app, { send_to_email: owner, max_uses: 5 });
    for (const code of [invite.code, await mailedCode(owner)]) {
      const email = newAddress();
      expect(said(await acceptNew(world, app, code, { email }))).toEqual(NOT_THEIRS);
      expect(await accountOf(email)).toBeUndefined();
    }
    expect(await usesOf(invite)).toBe(0);
    expect((await acceptNew(world, app, invite.code, { email: ` ${owner.toUpperCase()}` })).status).toBe(200);
  });

  describe('is rejected with an invalid code, and no account is created:', () => {
    const bad: Record<string, () => Promise<{ at?: { id: string }; code: string; expected?: unknown[] }>> = {
      unknown: async () => ({ code: '0000000000000' }),
      malformed: async () => ({ code: 'nonsense' }),
      'of another app': async () => ({ code: (await newInvite(world, await world.app(tenant))).code }),
      expired: async () => {
        const { id, code } = await newInvite(world, app);
        await world.sql('UPDATE invites SET expires_at = now() WHERE id = $1', [id]);
        return { code };
      },
      'used up': async () => {
        const { code } = await newInvite(world, app);
        expect((await acceptNew(world, app, code)).status).toBe(200);
        return { code };
      },
      revoked: async () => {
        const { id, code } = await newInvite(world, app, { max_uses: 7 });
        await world.asAdmin('DELETE', `/admin/invites/${id}`);
        return { code };
      },
      'sent again': async () => {
        const { id, code } = await newInvite(world, app, { send_to_email: newAddress() });
        await world.asAdmin('POST', `/admin/invites/${id}/resend`);
        return { code };
      },
      'of an app that is off': async () => {
        const off = await world.app(tenant);
        const { code } = await newInvite(world, off);
        await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
        return { at: off, code, expected: [400, { detail: 'Invalid app_id' }] };
      },
      'of an app whose tenant is off': async () => {
        const closed = await world.tenant();
        const off = await world.app(closed);
        const { code } = await newInvite(world, off);
        await world.asAdmin('PATCH', `/admin/tenants/${closed.id}`, { is_active: false });
        return { at: off, code, expected: [400, { detail: 'Invalid app_id' }] };
      },
      'at no app': async () => ({
        at: { id: '00000000-0000-4000-8000-000000000000' },
        code: (await newInvite(world, app)).code,
        expected: [400, { detail: 'Invalid app_id' }],
      }),
    };

    it.each(Object.entries(bad))('%s', async (_, make) => {
      const { at = app, code, expected = INVALID } = await make();
      const email = newAddress();
      const answer = await acceptNew(world, at, code, { email });
      expect(said(answer)).toEqual(expected);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await accountOf(email)).toBeUndefined();
      const second = { invite_code: code, app_id: at.id, email, display_name: 'Grace' };
      expect(said(await world.call('POST', '/auth/invite', second))).toEqual(expected);
    });
  });

  describe('applies the usual password rules and is not used up if they fail:', () => {
    it('the tenant’s minimum length', async () => {
      const strict = await world.tenant({ min_password_length: 14 });
      const at = await world.app(strict);
      const invite = await newInvite(world, at);
      const answer = await acceptNew(world, at, invite.code, { password: 'thirteen chars'.slice(0, 13) });
      expect(said(answer)).toEqual([400, { detail: 'Password must be at least 14 characters' }]);
      expect(await usesOf(invite)).toBe(0);
    });

    it('an app without passwords', async () => {
      const at = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
      const invite = await newInvite(world, at);
      expect(said(await acceptNew(world, at, invite.code))).toEqual([400, { detail: 'Password login not enabled' }]);
      expect((await acceptNew(world, at, invite.code, { password: undefined })).status).toBe(200);
    });
  });

  it('returns 422 without a display name', async () => {
    const invite = await newInvite(world, app);
    const answer = await acceptAlone(world, app, invite.code, { email: newAddress() });
    expect(said(answer)).toEqual([
      422,
      { detail: [{ loc: ['body', 'display_name'], msg: 'Field required', type: 'missing' }] },
    ]);
    expect(await usesOf(invite)).toBe(0);
  });

  it('assigns only those of its roles that the app still offers', async () => {
    const at = await world.app(tenant, { config: { available_roles: ['user', 'editor', 'boss'] } });
    const { code } = await newInvite(world, at, { roles: ['editor', 'boss'] });
    await world.asAdmin('PUT', `/admin/apps/${at.id}`, { config: { available_roles: ['user', 'editor'] } });
    const answer = await acceptNew(world, at, code);
    expect(readJwt(answer.body.access_token).payload['roles']).toEqual(['user', 'editor']);
  });

  it('works as often as it says if it is shared, and once for each user', async () => {
    const invite = await newInvite(world, app, { max_uses: 3 });
    const statuses: number[] = [];
    for (let each = 0; each < 5; each++) statuses.push((await acceptNew(world, app, invite.code)).status);
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
    const written = await world.sql(
      `SELECT (metadata->>'use')::int AS use FROM audit_entries WHERE target_id = $1 AND action = 'invite.accepted' ORDER BY 1`,
      [invite.id],
    );
    expect(written).toEqual([{ use: 1 }, { use: 2 }, { use: 3 }]);
  });

  it('is rejected from a page of another origin', async () => {
    const { code } = await newInvite(world, app);
    const newUser = { email: newAddress(), display_name: 'Grace' };
    const foreign: Record<string, string>[] = [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }];
    for (const headers of foreign) {
      const answer = await acceptAlone(world, app, code, newUser, headers);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
  });

  it('leaves no account, no use and no mail if the last step fails', async () => {
    // The database itself refuses the refresh family, as if it had gone away in the middle.
    const at = await world.app(tenant);
    const invite = await newInvite(world, at);
    const email = newAddress();
    await world.sql(
      `CREATE FUNCTION refuse_${unique()}() RETURNS trigger AS $$ BEGIN RAISE 'no family'; END $$ LANGUAGE plpgsql`,
    );
    const [{ proname }] = (await world.sql<{ proname: string }>(
      `SELECT proname FROM pg_proc WHERE proname LIKE 'refuse_%' LIMIT 1`,
    )) as [{ proname: string }];
    await world.sql(
      `CREATE TRIGGER refuse BEFORE INSERT ON refresh_families FOR EACH ROW WHEN (NEW.app_id = '${at.id}') EXECUTE FUNCTION ${proname}()`,
    );
    try {
      expect((await acceptNew(world, at, invite.code, { email })).status).toBe(500);
    } finally {
      await world.sql('DROP TRIGGER refuse ON refresh_families');
    }
    expect([await accountOf(email), await usesOf(invite)]).toEqual([undefined, 0]);
    const accepted = await world.sql(`SELECT 1 FROM audit_entries WHERE app_id = $1 AND action <> 'invite.created'`, [
      at.id,
    ]);
    expect(accepted.length).toBe(1); // the app itself
    expect((await acceptNew(world, at, invite.code, { email })).status).toBe(200);
    expect(await usesOf(invite)).toBe(1);
  });
});
