import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { Clock } from '../../../src/common/clock.js';
import { ACCESS_MARK } from '../../../src/common/http/access-marks.js';
import { IssuedTokensController } from '../../../src/tokens/endpoints/issued/issued-tokens.controller.js';
import { TokenCheckService } from '../../../src/tokens/endpoints/issued/token-check.service.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { readJwt } from '../../support/jwt-parts.js';
import { newCode } from '../../support/one-time-code.js';
import { postForm, postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

// security 15 (only /token/verify), 61, 63
describe('POST /token/verify', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let token: string;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const signIn = async () => {
    user = await world.user(app);
    token = (await world.tokens(user, app.id)).access_token;
  };
  const verify = (given: unknown, audience: unknown = app.id) =>
    world.call('POST', '/token/verify', { token: given, audience });

  it('returns only the claims of a valid token', async () => {
    await signIn();
    const { status, body, headers } = await verify(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: true,
      claims: {
        sub: user.id,
        email: user.email,
        email_verified: true,
        roles: ['user'],
        aud: app.id,
        iss: world.baseUrl,
        exp: readJwt(token).payload['exp'],
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('accepts tokens with the app’s lifetime and all documented claims (security 61)', async () => {
    const brief = await world.app(tenant, { config: { token_lifetime_minutes: 3 } });
    const { access_token, expires_in } = await world.tokens(await world.user(brief), brief.id);
    const { payload } = readJwt(access_token);
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(180);
    expect(expires_in).toBe(180);
    expect(payload).toMatchObject({
      jti: expect.any(String),
      email_verified: true,
      tenant_id: tenant.id,
      client_id: brief.id,
      auth_time: expect.any(Number),
      amr: ['pwd'],
      token_use: 'access',
    });
  });

  it('accepts a form, and an audience in capital letters', async () => {
    await signIn();
    const form = { token, audience: app.id };
    expect((await postForm<{ valid: boolean }>(`${world.baseUrl}/token/verify`, form)).body.valid).toBe(true);
    expect((await verify(token, app.id.toUpperCase())).body['valid']).toBe(true);
  });

  it('rejects another audience (security 63)', async () => {
    await signIn();
    expect((await verify(token)).body['valid']).toBe(true);
    expect((await verify(token, tenant.consoleAppId)).body).toEqual({ valid: false, error: 'Invalid audience' });
    expect((await verify(token, 'no app at all')).body).toEqual({ valid: false, error: 'Invalid audience' });
  });

  it('rejects a service token, an ID token and a totp_session by their kind (security 15)', async () => {
    await signIn();
    expect((await verify(token)).body['valid']).toBe(true);
    const code = await newCode(world, app, user, { response_type: 'code', scope: 'openid' });
    const { body } = await world.call<Tokens & { id_token: string }>('POST', '/token/exchange', {
      code,
      app_id: app.id,
    });
    const key = service.nest.get(SigningKeys, { strict: false }).current();
    const totpSession = await new SignJWT({ ...readJwt(token).payload, token_use: 'totp_session' })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .sign(key.privateKey);
    for (const other of [await world.serviceToken(app), body.id_token, totpSession]) {
      expect((await verify(other)).body).toEqual({ valid: false, error: 'Invalid token type' });
      expect((await verify(other)).body).toEqual({ valid: false, error: 'Invalid token type' });
    }
  });

  it.each([
    ['suspended', () => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id })],
    ['removed', () => world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id])],
    ['deleted', () => world.sql('DELETE FROM users WHERE id = $1', [user.id])],
    ['reset', () => world.sql(`UPDATE users SET tokens_valid_from = now() + interval '2s' WHERE id = $1`, [user.id])],
  ])('returns valid: false for a user who was %s after the sign-in (security 63)', async (_, change) => {
    await signIn();
    expect((await verify(token)).body['valid']).toBe(true);
    await change();
    await eventually('the token is no longer valid', async () => (await verify(token)).body['valid'] === false);
    expect((await verify(token)).body['valid']).toBe(false);
  });

  it('answers a token that it knows before Nest, with the same answer', async () => {
    await signIn();
    const ask = (cookie: Record<string, string>) =>
      postJson(`${world.baseUrl}/token/verify`, { token, audience: app.id }, cookie);
    await ask({});
    const checks = service.nest.get(TokenCheckService, { strict: false });
    let asked = 0;
    checks.check = (...given) => {
      asked++;
      return TokenCheckService.prototype.check.apply(checks, given);
    };
    // A change elsewhere, such as that of the user just made, can be heard at any time: then it is unknown again.
    const known = await eventually('it is known', async () => {
      asked = 0;
      const answer = await ask({});
      return asked === 0 && answer;
    });
    const ordinary = await ask({ Cookie: 'a=b' });
    expect(asked).toBe(1);
    Reflect.deleteProperty(checks, 'check');
    expect([known.status, known.body]).toEqual([ordinary.status, ordinary.body]);
    expect([...known.headers.keys()].sort()).toEqual([...ordinary.headers.keys()].sort());
  });

  it('refuses a known token when it expires', async () => {
    await signIn();
    expect((await verify(token)).body['valid']).toBe(true);
    const clock = service.nest.get(Clock, { strict: false });
    clock.seconds = () => Number(readJwt(token).payload['exp']);
    const { body } = await verify(token);
    Reflect.deleteProperty(clock, 'seconds');
    expect(body).toEqual({ valid: false, error: 'Token has expired' });
  });

  it('is public, so that no guard is missed where a known token is answered before Nest', () => {
    const mark: unknown = Reflect.getMetadata(ACCESS_MARK, IssuedTokensController.prototype.verify);
    expect(mark).toEqual({ kind: 'public', credentials: [] });
  });

  it('refuses further fields of a known token that it would refuse of another', async () => {
    await signIn();
    expect((await verify(token)).body['valid']).toBe(true);
    const fields = `{"token":"${token}","audience":"${app.id}","constructor":1}`;
    const answer = await fetch(`${world.baseUrl}/token/verify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: fields,
    });
    expect(answer.status).toBe(422);
  });

  it('returns valid: false at once while the app or tenant is off, and true again afterwards (security 63)', async () => {
    const own = await world.tenant();
    const its = await world.app(own);
    const { access_token } = await world.tokens(await world.user(its), its.id);
    const answer = async () => (await verify(access_token, its.id)).body;
    await world.asAdmin('PUT', `/admin/apps/${its.id}`, { is_active: false });
    expect(await answer()).toEqual({ valid: false, error: 'App is not active' });
    await world.asAdmin('PUT', `/admin/apps/${its.id}`, { is_active: true });
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect(await answer()).toEqual({ valid: false, error: 'App is not active' });
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: true });
    expect(await answer()).toMatchObject({ valid: true });
  });

  it.each([
    ['nonsense', 'abc'],
    ['dots', '...'],
    ['a broken header', 'e30.e30.e30'],
    ['a header that is no JSON', `${'x'.repeat(40)}.e30.e30`],
    ['60 000 characters', 'x'.repeat(60_000)],
    ['other scripts', 'żółć.żółć.żółć'],
  ])('returns 200 and valid: false for %s, and never repeats it (security 63)', async (_, bad) => {
    const { status, body } = await verify(bad);
    expect([status, body]).toEqual([200, { valid: false, error: 'Invalid token' }]);
  });

  it.each([
    [{ token: undefined }, 'token', 'missing'],
    [{ token: null }, 'token', 'string_type'],
    [{ token: '' }, 'token', 'string_too_short'],
    [{ token: ['a'] }, 'token', 'string_type'],
    [{ audience: undefined }, 'audience', 'missing'],
    [{ audience: ['a'] }, 'audience', 'string_type'],
  ])('returns 422 for %j', async (fields, name, type) => {
    const answer = await world.call('POST', '/token/verify', { token: 'x', audience: app.id, ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toEqual([expect.objectContaining({ loc: ['body', name], type })]);
  });
});
