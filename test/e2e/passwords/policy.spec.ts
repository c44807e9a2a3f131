import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress } from '../../support/new-user.js';
import { PASSWORD_SETTERS } from '../../support/password-setters.js';
import { linkIn } from '../../support/smtp.js';
import { PASSWORD, type TestClient, type TestUser, unique, type World } from '../../support/world.js';

const COMMON = 'Password1';
const TOO_COMMON = { detail: 'This password is too common' };
const TOO_GUESSABLE = { detail: "This password is too easy to guess: it contains your name or the app's" };

describe('Password policy', () => {
  let mailing: MailingService;
  let world: World;

  beforeAll(async () => {
    mailing = await startMailingService({ rateLimits: { enabled: false, overrides: {} } });
    ({ world } = mailing);
  });

  afterAll(() => mailing.close());

  const openApp = async (fields: Record<string, unknown>, name = `App ${unique()}`) => {
    const tenant = await world.tenant(fields);
    return { tenant, app: await world.app(tenant, { name, registration_policy: 'open' }) };
  };

  const hashOf = async (email: string) =>
    (await world.sql<{ password_hash: string | null }>('SELECT password_hash FROM users WHERE email = $1', [email]))[0]
      ?.password_hash;

  const metadataOf = async (email: string, action: string) => {
    const rows = await world.sql<{ metadata: Record<string, unknown> }>(
      `SELECT metadata FROM audit_entries WHERE action = $2 AND outcome = 'success'
         AND user_id = (SELECT id FROM users WHERE email = $1)`,
      [email, action],
    );
    return rows.map(({ metadata }) => metadata);
  };

  describe.each(Object.entries(PASSWORD_SETTERS))('at %s', (_, { prepare, action, status }) => {
    // security 2
    it('requires the tenant’s minimum length in code points', async () => {
      const { app } = await openApp({ min_password_length: 12, weak_passwords: 'off' });
      // Who is already a member has come in under an older policy.
      const { set, email } = await prepare(mailing, app);
      const before = await hashOf(email);
      const short = await set('🔑'.repeat(11));
      expect([short.status, short.body]).toEqual([400, { detail: 'Password must be at least 12 characters' }]);
      expect(await hashOf(email)).toBe(before);
      expect((await set('🔑'.repeat(12))).status).toBe(status);
    });

    // security 2
    it('never allows fewer than eight code points', async () => {
      const { app } = await openApp({ weak_passwords: 'off' });
      const { set } = await prepare(mailing, app);
      const short = await set('seven77');
      expect([short.status, short.body]).toEqual([400, { detail: 'Password must be at least 8 characters' }]);
    });

    // security 3
    it('rejects common passwords and those that contain a name if the tenant blocks them', async () => {
      const { app, tenant } = await openApp({ weak_passwords: 'block' }, `Sky Notes ${unique()}`);
      const { set, email } = await prepare(mailing, app);
      const before = await hashOf(email);
      const [named] = await world.sql<{ name: string }>('SELECT name FROM apps WHERE id = $1', [app.id]);
      for (const [password, refusal] of [
        [COMMON, TOO_COMMON],
        [`my-${email.split('@')[0]!.toUpperCase()}!`, TOO_GUESSABLE],
        [`2026 ${tenant.name.toLowerCase()}`, TOO_GUESSABLE],
        [`${named!.name}!!`, TOO_GUESSABLE],
      ] as const) {
        const answer = await set(password);
        expect([password, answer.status, answer.body]).toEqual([password, 400, refusal]);
      }
      expect(await hashOf(email)).toBe(before);
      expect((await set('an entirely new secret')).status).toBe(status);
    });

    // security 3
    it('accepts such passwords and records them if the tenant setting is warn', async () => {
      const { app } = await openApp({ weak_passwords: 'warn' });
      const weak = await prepare(mailing, app);
      expect((await weak.set(COMMON)).status).toBe(status);
      expect(await metadataOf(weak.email, action)).toEqual([expect.objectContaining({ weak_password: true })]);
      const good = await prepare(mailing, app);
      expect((await good.set('an entirely new secret')).status).toBe(status);
      expect(await metadataOf(good.email, action)).toEqual([expect.not.objectContaining({ weak_password: true })]);
    });

    // security 3
    it('accepts such passwords without a record if the tenant setting is off', async () => {
      const { app } = await openApp({ weak_passwords: 'off' });
      const { set, email } = await prepare(mailing, app);
      expect((await set(COMMON)).status).toBe(status);
      expect(await metadataOf(email, action)).toEqual([expect.not.objectContaining({ weak_password: true })]);
    });

    // security 1
    it('rejects NUL and more than 256 characters before the policy is checked', async () => {
      const { app } = await openApp({ weak_passwords: 'block' });
      const { set } = await prepare(mailing, app);
      expect((await set('a\0password with nul')).status).toBe(422);
      expect((await set('x'.repeat(257))).status).toBe(422);
      expect((await set('🔑'.repeat(256))).status).toBe(status);
    });
  });

  // security 2, 3
  it('is the strictest of all the user’s tenants at every app', async () => {
    const mild = await openApp({ weak_passwords: 'off' });
    const strict = await openApp({ weak_passwords: 'block', min_password_length: 10 });
    const user = await world.user(mild.app);
    const token = (await world.tokens(user, mild.app.id)).access_token;
    const change = (password: string) =>
      world.call('PUT', '/admin/me/password', { current_password: PASSWORD, new_password: password }, { token });
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: strict.app.id, roles: ['user'] });
    expect((await change('qwertyuiop')).body).toEqual(TOO_COMMON);
    expect((await change('nine char')).body).toEqual({ detail: 'Password must be at least 10 characters' });
    expect((await change(`x ${strict.tenant.name} x`)).body).toEqual(TOO_GUESSABLE);
    await world.sql('DELETE FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, strict.app.id]);
    expect((await change('qwertyuiop')).status).toBe(200);
  });

  describe('of a tenant with 64 characters', () => {
    const LONG = 'tall trees '.repeat(8);
    const NEW = 'quiet harbor lantern';
    const TOO_SHORT = { detail: 'Password must be at least 64 characters' };

    const memberOf = async () => {
      const strict = await openApp({ min_password_length: 64 });
      const mild = await openApp({});
      const user = await world.user(strict.app, { password: LONG });
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: mild.app.id, roles: ['user'] });
      return { user: { ...user, password: LONG }, strict, mild };
    };
    const resetAt = async ({ email }: TestUser, app: TestClient) => {
      await world.call('POST', '/auth/forgot-password', { email, app_id: app.id });
      const { token } = linkIn(await mailing.smtp.next(email, 'Set a new password'));
      const page = await new HostedBrowser(world.baseUrl).get(`/reset-password?token=${token}`);
      const { status, body } = await world.call('POST', '/auth/reset-password', { token, password: NEW });
      return { status, body, saysTheLength: page.body.includes('64 characters') };
    };
    const ENDS = {
      'does not apply to a member who is suspended': ({ user, strict }) =>
        world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: strict.app.id }),
      'does not apply to a user who waits for approval': ({ user, strict }) =>
        world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1 AND app_id = $2`, [
          user.id,
          strict.app.id,
        ]),
      'does not apply when the tenant is switched off': ({ strict }) =>
        world.asAdmin('PATCH', `/admin/tenants/${strict.tenant.id}`, { is_active: false }),
    } satisfies Record<string, (at: Awaited<ReturnType<typeof memberOf>>) => Promise<unknown>>;

    it('applies to a reset at the app of another tenant', async () => {
      const { user, mild } = await memberOf();
      expect(await resetAt(user, mild.app)).toEqual({ status: 400, body: TOO_SHORT, saysTheLength: true });
    });

    it.each(Object.entries(ENDS))('%s', async (_, end) => {
      const at = await memberOf();
      await end(at);
      expect(await resetAt(at.user, at.mild.app)).toMatchObject({ status: 200, saysTheLength: false });
    });

    it('does not apply to a member who is suspended and changes the password elsewhere', async () => {
      const at = await memberOf();
      await ENDS['does not apply to a member who is suspended'](at);
      const token = (await world.tokens(at.user, at.mild.app.id)).access_token;
      const change = { current_password: LONG, new_password: NEW };
      expect((await world.call('PUT', '/admin/me/password', change, { token })).status).toBe(200);
    });
  });

  // security 3
  it('blocks by default, also without a tenant setting', async () => {
    const { tenant } = await openApp({});
    const listed = await world.asAdmin<{ id: string; weak_passwords: string }[]>('GET', '/admin/tenants');
    expect(listed.find(({ id }) => id === tenant.id)!.weak_passwords).toBe('block');
    const body = { email: newAddress(), display_name: 'Nobody’s', password: COMMON };
    const { status, body: said } = await world.call('POST', '/admin/users', body, { token: world.admin.token });
    expect([status, said]).toEqual([400, TOO_COMMON]);
  });

  it.each(['off', 'warn'])(
    'always blocks for administrators if their tenant’s setting is %s',
    async (weak_passwords) => {
      const { tenant, app } = await openApp({ weak_passwords });
      const refused = async (answer: Promise<{ status: number; body: unknown }>) => {
        const { status, body } = await answer;
        expect([status, body]).toEqual([400, TOO_COMMON]);
      };
      const token = world.admin.token;
      const made = (fields: object) =>
        world.call(
          'POST',
          '/admin/users',
          { email: newAddress(), display_name: 'New', password: COMMON, ...fields },
          { token },
        );
      await refused(made({ is_platform_admin: true }));
      await refused(made({ app_id: tenant.consoleAppId }));
      const set = (id: string) => world.call('PUT', `/admin/users/${id}/password`, { new_password: COMMON }, { token });
      const admin = await world.tenantAdmin(tenant);
      await refused(set(admin.id));
      await refused(set((await world.user(app, { is_platform_admin: true })).id));
      const session = (await world.tokens(admin, tenant.consoleAppId)).access_token;
      const change = { current_password: PASSWORD, new_password: COMMON };
      await refused(world.call('PUT', '/admin/me/password', change, { token: session }));
      // Of a user who administers a single app the tenant decides.
      expect((await set((await world.user(app, { roles: ['admin'] })).id)).status).toBe(200);
    },
  );

  it('can be set by the tenant’s own admin, to one of three values', async () => {
    const { tenant } = await openApp({});
    const admin = await world.tenantAdmin(tenant);
    const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
    const patch = (weak: unknown) =>
      world.call('PATCH', `/admin/tenants/${tenant.id}`, { weak_passwords: weak }, { token });
    for (const weak of ['off', 'block', 'warn']) {
      const answer = await patch(weak);
      expect([answer.status, answer.body['weak_passwords']]).toEqual([200, weak]);
    }
    for (const weak of ['refuse', '', null, 1, ['off']]) expect((await patch(weak)).status).toBe(422);
    const rejected = world.sql("UPDATE tenants SET weak_passwords = 'maybe' WHERE id = $1", [tenant.id]);
    await expect(rejected).rejects.toThrow('ck_tenants_weak_passwords');
  });

  // security 3
  it('is explained beside the field on the hosted pages', async () => {
    const { app } = await openApp({ weak_passwords: 'block' });
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app));
    const form = await browser.get(/href="(\/sign-in\/[^"]+\/sign_up)"/.exec(login.body)![1]!);
    const email = newAddress();
    const again = await browser.submit(form, { email, display_name: 'Grace', password: COMMON });
    expect(again.status).toBe(400);
    expect(fieldError(again.body)).toBe('This password is too common. Choose one that is only yours.');
    const user = await world.user(app);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const { path, token } = linkIn(await mailing.smtp.next(user.email, 'Set a new password'));
    const page = await browser.get(path);
    const guessable = await browser.submit(page, { token, password: `${user.email.split('@')[0]} 1` });
    expect(guessable.status).toBe(400);
    expect(fieldError(guessable.body)).toContain('too easy to guess: it contains your name or the app');
    expect((await browser.submit(guessable, { token, password: 'an entirely new secret' })).status).toBe(200);
  });

  // security 3
  it('requires no mix of characters, and pages allow pasting and password managers', async () => {
    const { app } = await openApp({ weak_passwords: 'block' });
    const user = {
      ...(await world.user(app, { password: 'all in small letters' })),
      password: 'all in small letters',
    };
    expect((await world.login(user, app.id)).status).toBe(200);
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app));
    const signUp = await browser.get(/href="(\/sign-in\/[^"]+\/sign_up)"/.exec(login.body)![1]!);
    expect(passwordInput(login.body)).toMatch(/type="password" autocomplete="current-password"/);
    expect(passwordInput(signUp.body)).toMatch(/type="password" autocomplete="new-password"/);
    for (const { body } of [login, signUp]) expect(passwordInput(body)).not.toMatch(/onpaste|maxlength|pattern/);
  });
});

function fieldError(html: string): string | undefined {
  return /id="password-line">\s*<span class="field-error">([^<]*)</.exec(html)?.[1]?.replaceAll('&#x27;', "'");
}

function passwordInput(html: string): string {
  return /<input id="password"[^>]*>/.exec(html)![0];
}
