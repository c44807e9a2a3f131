import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jwtVerify, createRemoteJWKSet, decodeJwt, decodeProtectedHeader } from 'jose';
import { ExpiredSignInsPurge } from '../../../src/auth/expired-sign-ins-purge.js';
import { wrongCode } from '../../support/authenticator.js';
import { ssoCookieOf } from '../../support/new-user.js';
import { type Enrolled, sessionOf, totpSession, sessionsAndTokens, verify } from '../../support/second-factor.js';
import { type SecondFactorService, startSecondFactorService } from '../../support/second-factor-service.js';
import { type TestUser, type TestClient, type World } from '../../support/world.js';

const DEAD = [400, 'Invalid or expired TOTP session'];
const NOTHING = { sessions: 0, families: 0, codes: 0, logins: 0 };

describe('A totp_session', () => {
  let fixture: SecondFactorService;
  let world: World;
  let app: TestClient;
  let ada: { user: TestUser } & Enrolled;
  let before: Record<string, number>;

  beforeAll(async () => {
    fixture = await startSecondFactorService();
    ({ world, app } = fixture);
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    ada = await fixture.enrolled();
    await world.sql('DELETE FROM sso_sessions WHERE user_id = $1', [ada.user.id]);
    await world.sql('DELETE FROM refresh_families WHERE user_id = $1', [ada.user.id]);
    before = { ...NOTHING, logins: (await sessionsAndTokens(world, ada.user))['logins']! };
  });

  const session = (extra: Record<string, unknown> = {}) => totpSession(world, ada.user, app.id, extra);
  const finish = async (totp_session: string, code = fixture.code(ada)) => {
    const answer = await verify(world, totp_session, code);
    return [answer.status, answer.body.detail ?? 'tokens'];
  };

  it('is rejected if the app no longer allows the method of the first factor', async () => {
    const strict = await world.app(fixture.tenant);
    const bob = await fixture.enrolled(strict);
    const begun = await totpSession(world, bob.user, strict.id);
    const given = await sessionsAndTokens(world, bob.user);
    await world.asAdmin('PUT', `/admin/apps/${strict.id}`, { config: { allowed_providers: ['magic_link'] } });
    // The reasons after the second factor are only for users who have passed it.
    const wrong = await verify(world, begun, wrongCode(bob.secret));
    expect([wrong.status, wrong.body]).toEqual([401, { detail: 'Invalid TOTP code' }]);
    const right = await verify(world, begun, fixture.code(bob));
    expect([right.status, right.body]).toEqual([403, { detail: 'Sign-in method not allowed' }]);
    expect(await sessionsAndTokens(world, bob.user)).toEqual(given);
  });

  // security 15
  describe('as a token', () => {
    it('is valid for five minutes and carries its kind', async () => {
      const token = await session();
      const { exp, iat, ...claims } = decodeJwt(token);
      expect(exp! - iat!).toBe(300);
      expect(claims).toEqual({
        sub: ada.user.id,
        client_id: app.id,
        aud: world.baseUrl,
        iss: world.baseUrl,
        jti: expect.any(String),
        token_use: 'totp_session',
      });
      expect(decodeProtectedHeader(token).typ).toBe('totp-session+jwt');
    });

    it('is no valid access token for an app that checks signature, issuer and audience', async () => {
      const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', world.baseUrl));
      const expected = { issuer: world.baseUrl, audience: app.id, currentDate: fixture.clock.now() };
      const { body } = await verify(world, await session(), fixture.code(ada));
      await expect(jwtVerify(body.access_token, keys, expected)).resolves.toBeDefined();
      await expect(jwtVerify(await session(), keys, expected)).rejects.toThrow(/"aud"/);
    });

    it('is rejected by name at /token/verify', async () => {
      const answer = await world.call('POST', '/token/verify', { token: await session(), audience: app.id });
      expect([answer.status, answer.body]).toEqual([200, { valid: false, error: 'Invalid token type' }]);
    });

    it.each([
      ['GET', '/userinfo'],
      ['GET', '/admin/apps'],
      ['GET', '/admin/users'],
      ['POST', '/account/totp/setup'],
      ['POST', '/account/totp/confirm'],
      ['POST', '/account/totp/disable'],
      ['POST', '/account/backup-codes'],
    ])('is rejected as a bearer at %s %s', async (method, path) => {
      const body = method === 'POST' ? { code: fixture.code(ada) } : undefined;
      expect((await world.call(method, path, body, { token: await session() })).status).toBe(401);
    });

    it('is rejected as a refresh token', async () => {
      const body = { refresh_token: await session(), app_id: app.id };
      expect((await world.call('POST', '/token/refresh', body)).status).toBe(401);
    });

    it.each(['access token', 'refresh token', 'service token', 'nothing', 'altered token', 'unsigned token'])(
      'cannot be replaced by an %s',
      async (kind) => {
        const good = await session();
        const { body } = await verify(world, await session(), fixture.code(ada));
        const [header, payload, signature] = good.split('.') as [string, string, string];
        const unsigned = Buffer.from('{"alg":"none","typ":"totp-session+jwt"}').toString('base64url');
        const other = Buffer.from(JSON.stringify({ ...decodeJwt(good), sub: world.admin.id })).toString('base64url');
        const tokens: Record<string, string> = {
          'access token': body.access_token,
          'refresh token': body.refresh_token,
          'service token': await world.serviceToken(app),
          nothing: 'x',
          'altered token': `${header}.${other}.${signature}`,
          'unsigned token': `${unsigned}.${payload}.`,
        };
        expect(await finish(tokens[kind]!, ada.backupCodes[0])).toEqual(DEAD);
      },
    );

    it('works only with its own row', async () => {
      // Bound to user and app in the database as well.
      const token = await session();
      const other = await fixture.enrolled();
      await world.sql('UPDATE totp_challenges SET user_id = $2 WHERE id = $1', [decodeJwt(token).jti, other.user.id]);
      expect(await finish(token, fixture.code(other))).toEqual(DEAD);
      await world.sql('UPDATE totp_challenges SET user_id = $2, app_id = $3 WHERE id = $1', [
        decodeJwt(token).jti,
        ada.user.id,
        (await world.app(fixture.tenant)).id,
      ]);
      expect(await finish(token)).toEqual(DEAD);
    });
  });

  it('binds the refresh token to the device of the first factor', async () => {
    const { body } = await verify(world, await session({ device_id: 'phone-1' }), fixture.code(ada));
    const [family] = await world.sql('SELECT device_id, amr, app_id FROM refresh_families WHERE user_id = $1', [
      ada.user.id,
    ]);
    expect(family).toEqual({ device_id: 'phone-1', amr: ['pwd', 'otp', 'mfa'], app_id: app.id });
    const refresh = (device_id: string) =>
      world.call('POST', '/token/refresh', { refresh_token: body.refresh_token, app_id: app.id, device_id });
    expect((await refresh('phone-2')).status).toBe(401);
    const claims = decodeJwt(body.access_token);
    expect([claims['amr'], claims['aud'], claims['token_use']]).toEqual([['pwd', 'otp', 'mfa'], app.id, 'access']);
  });

  // security 12
  it('works once', async () => {
    const token = await session();
    expect(await finish(token)).toEqual([200, 'tokens']);
    expect(await finish(token, ada.backupCodes[0])).toEqual(DEAD);
    expect((await sessionsAndTokens(world, ada.user))['families']).toBe(1);
  });

  it('expires after five minutes by either clock', async () => {
    const [first, second] = [await session(), await session()];
    await world.sql(`UPDATE totp_challenges SET expires_at = now() WHERE id = $1`, [decodeJwt(first).jti]);
    expect(await finish(first)).toEqual(DEAD);
    fixture.clock.advance(299);
    expect(await finish(second, '000000')).not.toEqual(DEAD);
    fixture.clock.advance(1);
    expect(await finish(second)).toEqual(DEAD);
  });

  it('stays valid after a wrong code', async () => {
    const token = await session();
    expect((await finish(token, wrongCode(ada.secret)))[0]).toBe(401);
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    expect(await finish(token)).toEqual([200, 'tokens']);
  });

  // security 7
  it('sets a new SSO cookie, invalidates the old one and never adopts a planted one', async () => {
    const first = ssoCookieOf(await verify(world, await session(), fixture.code(ada)))!;
    const again = await verify(world, await session(), fixture.code(ada, 1), { Cookie: `browser=x; ${first}` });
    const second = ssoCookieOf(again)!;
    expect(second).not.toBe(first);
    const path = `/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}&prompt=none`;
    const visit = async (Cookie: string) =>
      (await world.call('GET', path, undefined, { headers: { Cookie } })).headers.get('location');
    expect(await visit(first)).toContain('error=login_required');
    expect(await visit(second)).toContain('code=');
    const planted = `sso=${'A'.repeat(43)}`;
    expect(ssoCookieOf(await verify(world, await session(), ada.backupCodes[0]!, { Cookie: planted }))).not.toBe(
      planted,
    );
    expect(await visit(planted)).toContain('error=login_required');
  });

  // security 8
  it.each([
    [{ Origin: 'https://evil.example' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Content-Type': 'text/plain' }, 415],
  ])('is not spent by a request from a foreign page (%p)', async (headers, status) => {
    const token = await session();
    const answer = await verify(world, token, fixture.code(ada), headers as Record<string, string>);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, []]);
    expect(await finish(token)).toEqual([200, 'tokens']);
  });

  describe('between the first and the second factor', () => {
    const put = (path: string, body: unknown) => world.asAdmin('PUT', path, body);

    it('is invalid after a reset or after all sessions end', async () => {
      const token = await session();
      await world.sql('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [ada.user.id]);
      expect(await finish(token)).toEqual(DEAD);
      expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    });

    it('is rejected for a suspended user', async () => {
      const token = await session();
      await world.asAdmin('POST', `/admin/users/${ada.user.id}/suspend`, { app_id: app.id });
      expect(await finish(token)).toEqual([403, 'Account suspended']);
      expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    });

    it('reports a removal from the app only after the right code', async () => {
      const token = await session();
      await world.sql('DELETE FROM enrollments WHERE user_id = $1', [ada.user.id]);
      expect(await finish(token, wrongCode(ada.secret))).toEqual([401, 'Invalid TOTP code']);
      expect(await finish(token)).toEqual([403, 'You do not have access']);
      expect(await finish(token, ada.backupCodes[0])).toEqual(DEAD);
      expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    });

    it('reports a pending approval only after the right code', async () => {
      const token = await session();
      await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [ada.user.id]);
      expect(await finish(token, wrongCode(ada.secret))).toEqual([401, 'Invalid TOTP code']);
      expect(await finish(token)).toEqual([403, 'You do not have access']);
    });

    it('is rejected at an app that was switched off', async () => {
      const other = await world.app(fixture.tenant);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: ada.user.id, app_id: other.id, roles: ['user'] });
      const token = await totpSession(world, ada.user, other.id);
      await put(`/admin/apps/${other.id}`, { is_active: false });
      expect(await finish(token)).toEqual([400, 'Invalid app_id']);
      expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    });

    it('is rejected for a deactivated account', async () => {
      const token = await session();
      await world.sql('UPDATE users SET is_active = false WHERE id = $1', [ada.user.id]);
      expect(await finish(token)).toEqual([400, 'Invalid or expired TOTP session']);
      expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    });

    it('is rejected after the factor was removed, and gives no setup_token', async () => {
      const [token, other] = [await session(), await session()];
      const off = { code: ada.backupCodes[0] };
      const signedIn = sessionOf(await verify(world, other, fixture.code(ada)));
      expect((await world.call('POST', '/account/totp/disable', off, signedIn)).status).toBe(200);
      await put(`/admin/apps/${app.id}`, { config: { require_2fa: true } });
      try {
        const refused = [400, 'Invalid or expired TOTP session'];
        expect(await finish(token)).toEqual(refused);
        expect(await finish(token, ada.backupCodes[1])).toEqual(refused);
      } finally {
        await put(`/admin/apps/${app.id}`, { config: { require_2fa: false } });
      }
    });
  });

  it('keeps its row for a day', async () => {
    const [old, young] = [await session(), await session()].map((token) => decodeJwt(token).jti!);
    const age = (id: string, hours: number) =>
      world.sql(`UPDATE totp_challenges SET expires_at = now() - make_interval(hours => $2) WHERE id = $1`, [
        id,
        hours,
      ]);
    await age(old!, 25);
    await age(young!, 23);
    await fixture.service.nest.get(ExpiredSignInsPurge, { strict: false }).run();
    expect(await world.sql('SELECT id FROM totp_challenges WHERE id = ANY($1)', [[old, young]])).toEqual([
      { id: young },
    ]);
  });
});
