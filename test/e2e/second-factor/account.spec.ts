import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { codeAt, wrongCode } from '../../support/authenticator.js';
import { dumpDatabase, spellings } from '../../support/database-dump.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { ssoCookieOf } from '../../support/new-user.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { enroll, sessionOf, totpSession, verify } from '../../support/second-factor.js';
import { eventually } from '../../support/wait.js';
import { type Answer, type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

const REAUTHENTICATE = [403, { detail: { error: 'reauthentication_required' } }];
const SUBJECT = 'Your second factor was changed';
const PATHS = ['/account/totp/setup', '/account/totp/confirm', '/account/totp/disable', '/account/backup-codes'];

type Setup = { secret: string; otpauth_uri: string; qr_svg: string };
type Codes = { backup_codes: string[] };

describe('JSON endpoints of your own second factor', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let member: TestUser;
  /** The SSO session of a sign-in just made. */
  let session: { headers: { Cookie: string } };

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => mailing.close());

  beforeEach(async () => {
    member = await world.user(app);
    session = sessionOf(await world.login(member, app.id));
  });

  const post = <Body = Record<string, unknown>>(
    path: string,
    body: unknown = {},
    as: { token?: string; headers?: Record<string, string> } = session,
  ) => world.call<Body>('POST', path, body, as);
  const setup = async () => (await post<Setup>('/account/totp/setup')).body;
  const actions = async () =>
    (
      await world.sql<{ line: string }>(
        `SELECT concat_ws(' ', action, outcome, actor_type, (actor_id = $1::text)::text) AS line FROM audit_entries
         WHERE user_id = $1::uuid AND (action LIKE 'totp.%' OR action LIKE 'backup_code.%') ORDER BY created_at, id`,
        [member.id],
      )
    ).map(({ line }) => line);
  const signInBy = async (code: string) => {
    const answer = await verify(world, await totpSession(world, member, app.id), code);
    expect(answer.status).toBe(200);
    return sessionOf(answer);
  };

  // security 18
  describe('POST /account/totp/setup', () => {
    it('returns the secret, its address and a QR code, and applies only after confirmation', async () => {
      const { secret, otpauth_uri, qr_svg } = await setup();
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(new URL(otpauth_uri).searchParams.get('secret')).toBe(secret);
      expect(decodeURIComponent(otpauth_uri)).toContain(`Identity Broker:${member.email}`);
      expect(qr_svg).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
      expect((await world.login(member, app.id)).body).toHaveProperty('access_token');
      const wrong = await post('/account/totp/confirm', { code: wrongCode(secret) });
      expect([wrong.status, wrong.body]).toEqual([401, { detail: 'Invalid TOTP code' }]);
      expect((await world.login(member, app.id)).body).toHaveProperty('access_token');
      const confirmed = await post<Codes>('/account/totp/confirm', { code: codeAt(secret) });
      expect([confirmed.status, Object.keys(confirmed.body)]).toEqual([200, ['backup_codes']]);
      expect((await world.login(member, app.id)).body).toHaveProperty('totp_session');
      expect(await actions()).toEqual(['totp.failed failure user true', 'totp.enabled success user true']);
    });

    it('is not cached', async () => {
      expect((await post('/account/totp/setup')).headers.get('cache-control')).toBe('no-store');
      const code = codeAt((await setup()).secret);
      expect((await post('/account/totp/confirm', { code })).headers.get('cache-control')).toBe('no-store');
    });

    it('sent again returns another secret and invalidates the first', async () => {
      const [first, second] = [await setup(), await setup()];
      expect(first.secret).not.toBe(second.secret);
      expect((await post('/account/totp/confirm', { code: codeAt(first.secret) })).status).toBe(401);
      expect((await post('/account/totp/confirm', { code: codeAt(second.secret) })).status).toBe(200);
    });

    it('is rejected if a second factor exists, which stays unchanged', async () => {
      const { secret, backupCodes } = await enroll(world, member, app.id);
      session = await signInBy(backupCodes[0]!);
      const again = await post('/account/totp/setup');
      expect([again.status, again.body]).toEqual([400, { detail: 'Second factor already set up' }]);
      const confirm = await post('/account/totp/confirm', { code: codeAt(secret) });
      expect([confirm.status, confirm.body]).toEqual([400, { detail: 'Second factor already set up' }]);
      await signInBy(codeAt(secret));
    });

    it('must come before the confirmation', async () => {
      const answer = await post('/account/totp/confirm', { code: '123456' });
      expect([answer.status, answer.body]).toEqual([400, { detail: 'Set up a second factor first' }]);
    });

    it('stores no plain secret and no plain backup code in the database', async () => {
      const unconfirmed = (await setup()).secret;
      const before = await dumpDatabase(world);
      const { secret, backupCodes } = await enroll(world, member, app.id);
      const dump = [...before, ...(await dumpDatabase(world))].map(({ row }) => row.toUpperCase());
      const plain = backupCodes.map((code) => code.replaceAll('-', ''));
      for (const clear of [unconfirmed, secret, ...backupCodes, ...plain])
        for (const spelling of spellings(clear))
          expect(dump.filter((row) => row.includes(spelling.toUpperCase()))).toEqual([]);
      const rows = await world.sql<{ salt: Buffer; code_hash: Buffer }>(
        'SELECT salt, code_hash FROM backup_codes WHERE user_id = $1',
        [member.id],
      );
      expect(new Set(rows.map(({ salt }) => salt.toString('hex'))).size).toBe(10);
      for (const { salt, code_hash } of rows) expect([salt.length, code_hash.length]).toEqual([16, 32]);
    });

    // security 112
    it('encrypts the secret for its owner, so that it cannot be decrypted in another row', async () => {
      const ada = { user: member, ...(await enroll(world, member, app.id)) };
      const other = await world.user(app);
      await enroll(world, other, app.id);
      await world.sql(
        `UPDATE second_factors SET sealed_secret = (SELECT sealed_secret FROM second_factors WHERE user_id = $1)
         WHERE user_id = $2`,
        [ada.user.id, other.id],
      );
      const answer = await verify(world, await totpSession(world, other, app.id), codeAt(ada.secret));
      expect(answer.status).toBe(500);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(JSON.stringify(answer.body)).not.toMatch(/seal|secret/i);
    });

    it('with the SSO cookie marks the session as two-factor and rotates the cookie', async () => {
      const signedIn = await world.login(member, app.id);
      const cookie = ssoCookieOf(signedIn)!;
      const begun = await world.call<Setup>('POST', '/account/totp/setup', {}, { headers: { Cookie: cookie } });
      const code = codeAt(begun.body.secret);
      const confirmed = await world.call('POST', '/account/totp/confirm', { code }, { headers: { Cookie: cookie } });
      expect(confirmed.status).toBe(200);
      const renewed = ssoCookieOf(confirmed)!;
      const visit = (Cookie: string) =>
        world.call('GET', loginPath(app, { prompt: 'none' }), undefined, { headers: { Cookie } });
      expect((await visit(cookie)).headers.get('location')).toContain('error=login_required');
      expect((await visit(renewed)).headers.get('location')).toContain('code=');
    });
  });

  it('invalidate an older Console token when a second factor is set up', async () => {
    const { consoleAppId } = await world.tenant();
    const user = await world.user({ id: consoleAppId });
    const { access_token: token } = await world.tokens(user, consoleAppId);
    const ask = async () =>
      (await world.call('POST', '/account/set-password', { password: 'another battery' }, { token })).status;
    expect(await ask()).toBe(400);
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [user.id]);
    expect(await ask()).toBe(401);
  });

  it('show the second factor in the user’s record', async () => {
    const view = async () => {
      const list = await world.asAdmin<{ id: string; totp_enabled: boolean }[]>('GET', `/admin/users?app_id=${app.id}`);
      return list.find(({ id }) => id === member.id)!;
    };
    expect((await view()).totp_enabled).toBe(false);
    await setup();
    expect((await view()).totp_enabled).toBe(false);
    const { backupCodes } = await enroll(world, member, app.id);
    expect((await view()).totp_enabled).toBe(true);
    expect(JSON.stringify(await view())).not.toMatch(/secret|backup/);
    session = await signInBy(backupCodes[0]!);
    await post('/account/totp/disable', { code: backupCodes[1] });
    expect((await view()).totp_enabled).toBe(false);
  });

  it('remove the factor only with a code, and sign-ins then ask for none', async () => {
    const { secret, backupCodes } = await enroll(world, member, app.id);
    session = await signInBy(codeAt(secret));
    expect((await post('/account/totp/disable', { code: wrongCode(secret) })).status).toBe(401);
    expect((await world.login(member, app.id)).body).toHaveProperty('totp_session');
    expect((await post('/account/totp/disable', { code: backupCodes[0] })).status).toBe(200);
    expect((await world.login(member, app.id)).body).toHaveProperty('access_token');
    const again = await post('/account/totp/disable', { code: backupCodes[1] });
    expect([again.status, again.body]).toEqual([400, { detail: 'No second factor set up' }]);
    expect((await post('/account/backup-codes', { code: backupCodes[1] })).status).toBe(400);
    for (const table of ['second_factors', 'backup_codes'])
      expect(await world.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [member.id])).toEqual([]);
    expect((await actions()).slice(-2)).toEqual([
      'backup_code.used success user true',
      'totp.disabled success user true',
    ]);
  });

  // security 16
  describe('for backup codes', () => {
    it('return ten codes, each good for one sign-in, also in lower case and without dashes', async () => {
      const { backupCodes } = await enroll(world, member, app.id);
      expect(new Set(backupCodes).size).toBe(10);
      const spelled = [backupCodes[0]!, backupCodes[1]!.toLowerCase(), backupCodes[2]!.replaceAll('-', ' ')];
      for (const code of spelled) {
        expect((await verify(world, await totpSession(world, member, app.id), code)).status).toBe(200);
        expect((await verify(world, await totpSession(world, member, app.id), code)).status).toBe(401);
      }
      const used = await world.sql<{ metadata: { left: number }; tenant_id: string; app_id: string }>(
        `SELECT metadata, tenant_id, app_id FROM audit_entries WHERE user_id = $1 AND action = 'backup_code.used'
         ORDER BY created_at, id`,
        [member.id],
      );
      expect(used.map(({ metadata }) => metadata.left)).toEqual([9, 8, 7]);
      for (const entry of used) expect(entry).toMatchObject({ tenant_id: app.tenantId, app_id: app.id });
    });

    it('replace all old codes', async () => {
      const { secret, backupCodes } = await enroll(world, member, app.id);
      session = await signInBy(codeAt(secret));
      expect((await post('/account/backup-codes', { code: wrongCode(secret) })).status).toBe(401);
      const renewed = await post<Codes>('/account/backup-codes', { code: backupCodes[0] });
      expect([renewed.status, renewed.body.backup_codes.length]).toEqual([200, 10]);
      expect(renewed.headers.get('cache-control')).toBe('no-store');
      for (const code of backupCodes.slice(0, 3))
        expect((await verify(world, await totpSession(world, member, app.id), code)).status).toBe(401);
      const challenge = await totpSession(world, member, app.id);
      expect((await verify(world, challenge, renewed.body.backup_codes[9])).status).toBe(200);
      expect((await actions()).filter((line) => line.startsWith('backup_code.regenerated'))).toEqual([
        'backup_code.regenerated success user true',
      ]);
    });
  });

  it('mail a notice of every change', async () => {
    const texts = async (count: number) => {
      const mails = () => mailing.smtp.to(member.email).filter(({ subject }) => subject === SUBJECT);
      await eventually(`${count} notices`, () => mails().length >= count);
      return mails().map(({ text }) => text ?? '');
    };
    const { backupCodes } = await enroll(world, member, app.id);
    expect((await texts(1)).at(-1)).toContain('A second factor was added to your account.');
    session = await signInBy(backupCodes[0]!);
    expect((await texts(2)).at(-1)).toContain('9 are left');
    const renewed = await post<Codes>('/account/backup-codes', { code: backupCodes[1] });
    const both = await texts(4);
    expect(both.slice(2).join()).toContain('New backup codes were created');
    await post('/account/totp/disable', { code: renewed.body.backup_codes[0] });
    const all = await texts(6);
    expect(all.slice(4).join()).toContain('The second factor was removed');
    for (const text of all) expect(text).toMatch(/from 127\.0\.0\.1|from ::/);
    for (const code of [...backupCodes, ...renewed.body.backup_codes]) expect(all.join()).not.toContain(code);
  });

  it('mail a notice when wrong codes have locked the factor, once for repeated locks', async () => {
    const { secret } = await enroll(world, member, app.id);
    const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
    const lock = async () => {
      await limits.clear('totp', member.id);
      const session = await totpSession(world, member, app.id);
      for (let time = 0; time < 5; time++) expect((await verify(world, session, wrongCode(secret))).status).toBe(401);
    };
    for (let time = 0; time < 3; time++) await lock();
    await world.asAdmin('POST', `/admin/users/${member.id}/totp/reset`);
    const mails = () => mailing.smtp.to(member.email).map(({ subject, text }) => ({ subject, text }));
    await quietOutbox(world);
    expect(mails().filter(({ subject }) => subject === SUBJECT)).toHaveLength(2);
    const locked = mails().filter(({ subject }) => subject === 'Wrong codes for your second factor');
    expect(locked).toEqual([{ subject: expect.any(String), text: expect.any(String) }]);
    expect(locked[0]!.text).toMatch(/5 wrong codes were entered[\s\S]+use a code for 15 minutes/);
  });

  // security 18
  describe('require a sign-in of the last five minutes', () => {
    const age = (seconds: number) =>
      world.sql(`UPDATE sso_sessions SET auth_time = now() - make_interval(secs => $2) WHERE user_id = $1`, [
        member.id,
        seconds,
      ]);

    it.each(PATHS)('with the SSO cookie at %s', async (path) => {
      const { secret } = await enroll(world, member, app.id);
      const cookie = ssoCookieOf(await verify(world, await totpSession(world, member, app.id), codeAt(secret)))!;
      const ask = async (): Promise<Answer> =>
        world.call('POST', path, { code: '000000' }, { headers: { Cookie: cookie } });
      await age(310);
      expect(await ask()).toMatchObject({ status: REAUTHENTICATE[0], body: REAUTHENTICATE[1] });
      await age(290);
      expect((await ask()).status).not.toBe(403);
    });

    it.each(PATHS)('with a Console token at %s, even if the token itself is new', async (path) => {
      const admin = await world.tenantAdmin(tenant);
      const { secret } = await enroll(world, admin, tenant.consoleAppId);
      const { body } = await verify(world, await totpSession(world, admin, tenant.consoleAppId), codeAt(secret));
      let { refresh_token } = body;
      const refreshed = async (seconds: number) => {
        await world.sql(
          `UPDATE refresh_families SET auth_time = now() - make_interval(secs => $2) WHERE user_id = $1`,
          [admin.id, seconds],
        );
        const answer = await world.call<{ access_token: string; refresh_token: string }>('POST', '/token/refresh', {
          refresh_token,
          app_id: tenant.consoleAppId,
        });
        ({ refresh_token } = answer.body);
        return { token: answer.body.access_token };
      };
      const stale = await post(path, { code: '000000' }, await refreshed(310));
      expect([stale.status, stale.body]).toEqual(REAUTHENTICATE);
      expect((await post(path, { code: '000000' }, await refreshed(280))).status).not.toBe(403);
    });
  });

  // Any app's server holds such tokens: it must not become the owner of the account (ASVS 10.3.1).
  describe('with an access token of an app', () => {
    const appToken = async () => ({ token: (await world.tokens(member, app.id)).access_token });
    const FORBIDDEN = [403, { detail: 'Insufficient permissions' }];
    const said = ({ status, body }: Answer) => [status, body];
    const factors = () => world.sql('SELECT confirmed_at FROM second_factors WHERE user_id = $1', [member.id]);

    it('do not start a set-up without the password', async () => {
      expect(said(await post('/account/totp/setup', {}, await appToken()))).toEqual([
        400,
        { detail: 'Password required' },
      ]);
      expect(await factors()).toEqual([]);
    });

    it('do not start a set-up with a wrong password, and count it as a sign-in attempt', async () => {
      const token = await appToken();
      for (let round = 0; round < 5; round++)
        expect(said(await post('/account/totp/setup', { password: 'a guess' }, token))).toEqual([
          401,
          { detail: 'Invalid credentials' },
        ]);
      const limited = await post('/account/totp/setup', { password: member.password }, token);
      expect(said(limited)).toEqual([429, { detail: 'rate_limited' }]);
      expect((await world.login(member, app.id)).status).toBe(429);
      expect(await factors()).toEqual([]);
      const [{ count }] = (await world.sql<{ count: number }>(
        `SELECT count(*)::int FROM audit_entries WHERE action = 'user.login_failed' AND metadata ->> 'email' = $1`,
        [member.email],
      )) as [{ count: number }];
      expect(count).toBe(5);
    });

    it('do not start a set-up for an account without a password', async () => {
      const token = await appToken();
      await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [member.id]);
      expect((await post('/account/totp/setup', { password: member.password }, token)).status).toBe(401);
      expect(await factors()).toEqual([]);
    });

    it('set up a second factor together with the password', async () => {
      const token = await appToken();
      const begun = await post<Setup>('/account/totp/setup', { password: member.password }, token);
      const confirmed = await post<Codes>('/account/totp/confirm', { code: codeAt(begun.body.secret) }, token);
      expect([confirmed.status, confirmed.body.backup_codes.length]).toEqual([200, 10]);
    });

    it('do not confirm a set-up that a session started', async () => {
      const { secret } = await setup();
      expect(said(await post('/account/totp/confirm', { code: codeAt(secret) }, await appToken()))).toEqual(FORBIDDEN);
      expect(await factors()).toEqual([{ confirmed_at: null }]);
    });

    it('do not confirm a set-up that another app started', async () => {
      const other = await world.app(tenant);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: member.id, app_id: other.id, roles: ['user'] });
      const { access_token } = await world.tokens(member, other.id);
      const begun = await post<Setup>('/account/totp/setup', { password: member.password }, { token: access_token });
      const code = codeAt(begun.body.secret);
      expect(said(await post('/account/totp/confirm', { code }, await appToken()))).toEqual(FORBIDDEN);
      expect((await post('/account/totp/confirm', { code }, { token: access_token })).status).toBe(200);
    });

    it.each(['/account/totp/disable', '/account/backup-codes'])(
      'return 403 at %s, even with a right code',
      async (path) => {
        const { secret, backupCodes } = await enroll(world, member, app.id);
        const { body } = await verify(world, await totpSession(world, member, app.id), codeAt(secret));
        const answer = await post(path, { code: backupCodes[0] }, { token: body.access_token });
        expect(said(answer)).toEqual(FORBIDDEN);
        expect(await world.sql('SELECT 1 FROM backup_codes WHERE user_id = $1', [member.id])).toHaveLength(10);
      },
    );
  });

  it.each(PATHS)('return 401 without a session or a token at %s', async (path) => {
    const answers = [
      await world.call('POST', path, { code: '123456' }),
      await post(path, { code: '123456' }, { token: 'nonsense' }),
      await post(path, { code: '123456' }, { token: await world.serviceToken(app) }),
      await world.call('POST', path, { code: '123456' }, { headers: { Cookie: `sso=${'A'.repeat(43)}` } }),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([401, { detail: 'Not authenticated' }]);
  });

  it.each(PATHS)('return 401 to users suspended after sign-in, at %s', async (path) => {
    const token = (await world.tokens(member, app.id)).access_token;
    await world.asAdmin('POST', `/admin/users/${member.id}/suspend`, { app_id: app.id });
    expect((await post(path, { code: '123456' }, { token })).status).toBe(401);
  });

  // security 8
  describe.each(PATHS)('reject requests from foreign pages at %s', (path) => {
    it.each([
      ['Origin', { Origin: 'https://evil.example' }, 403],
      ['Origin: null', { Origin: 'null' }, 403],
      ['Sec-Fetch-Site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
      ['a sister site', { 'Sec-Fetch-Site': 'same-site' }, 403],
      ['text/plain', { 'Content-Type': 'text/plain' }, 415],
    ])('%s', async (_, headers, status) => {
      const browser = new HostedBrowser(world.baseUrl);
      await browser.signIn(loginPath(app), member.email, member.password);
      const Cookie = `sso=${browser.cookie('sso')}`;
      const answer = await world.call('POST', path, { code: '123456' }, { headers: { Cookie, ...headers } as never });
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, []]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(await world.sql('SELECT 1 FROM second_factors WHERE user_id = $1', [member.id])).toEqual([]);
    });
  });
});
