import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readJwt } from '../../support/jwt-parts.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

type OpenIdTokens = Tokens & { id_token: string; scope: string } & Failure;

describe('POST /auth/token for OpenID Connect clients', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const token = async (fields: Record<string, string>, headers = {}) => {
    const answer = await postForm<OpenIdTokens>(`${world.baseUrl}/auth/token`, fields, headers);
    return { ...answer, refusal: [answer.status, answer.body.detail, answer.body.error] };
  };
  const redeem = (code: string, fields: Record<string, string> = {}, headers = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: app.redirectUri, ...fields }, headers);
  const secret = () => ({ client_id: app.id, client_secret: app.secret });
  const refresh = (refresh_token: string, fields: Record<string, string> = secret()) =>
    token({ grant_type: 'refresh_token', refresh_token, ...fields });

  describe('authorization_code', () => {
    it('accepts a confidential client by post and by HTTP Basic', async () => {
      expect((await redeem(await newCode(world, app, user), secret())).status).toBe(200);
      expect((await redeem(await newCode(world, app, user), {}, basic(app.id, app.secret))).status).toBe(200);
    });

    it('accepts a public client by PKCE alone', async () => {
      const answer = await redeem(await newCode(world, app, user, PKCE), {
        client_id: app.id,
        code_verifier: VERIFIER,
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('rejects a public client without PKCE', async () => {
      const answer = await redeem(await newCode(world, app, user), { client_id: app.id });
      expect(answer.refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    });

    it('rejects a wrong secret even with the right verifier', async () => {
      const code = await newCode(world, app, user, PKCE);
      const answer = await redeem(code, { ...secret(), client_secret: 'wrong', code_verifier: VERIFIER });
      expect(answer.refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    });

    it.each(['authorization_code', 'refresh_token'])(
      'returns 401 invalid_client for an unknown client and one that is switched off, with %s (RFC 6749 section 5.2)',
      async (grant_type) => {
        const closed = await world.app(tenant);
        await world.asAdmin('PUT', `/admin/apps/${closed.id}`, { is_active: false });
        for (const client_id of [user.id, closed.id]) {
          const grant = { code: 'x', code_verifier: VERIFIER, refresh_token: 'x' };
          const answer = await token({ grant_type, client_id, ...grant });
          expect(answer.refusal).toEqual([401, 'invalid_client', 'invalid_client']);
        }
      },
    );

    it('returns 400 invalid_grant for a spent code, another client’s code and a wrong verifier', async () => {
      const spent = await newCode(world, app, user);
      await redeem(spent, secret());
      expect((await redeem(spent, secret())).refusal).toEqual([400, 'Invalid or expired code', 'invalid_grant']);
      const other = await world.app(tenant);
      const foreign = await redeem(await newCode(world, app, user), {
        client_id: other.id,
        client_secret: other.secret,
      });
      expect(foreign.refusal).toEqual([400, 'Invalid or expired code', 'invalid_grant']);
      const wrong = await redeem(await newCode(world, app, user, PKCE), { ...secret(), code_verifier: 'wrong' });
      expect(wrong.refusal).toEqual([400, 'Invalid code_verifier', 'invalid_grant']);
    });

    it('returns 400 with a description if code or redirect_uri is missing (RFC 6749 section 5.2)', async () => {
      for (const missing of ['code', 'redirect_uri']) {
        const answer = await redeem('x', { ...secret(), [missing]: '' });
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
        expect(answer.body.detail).toEqual([{ loc: ['body', missing], msg: 'Field required', type: 'missing' }]);
        expect(answer.body.error_description).toBe(`${missing}: Field required`);
      }
    });

    it('needs no redirect_uri beside a code_verifier (OAuth 2.1), but compares one that is sent', async () => {
      const pkce = { ...secret(), code_verifier: VERIFIER };
      const other = await redeem(await newCode(world, app, user, PKCE), {
        ...pkce,
        redirect_uri: 'https://x.example/',
      });
      expect(other.refusal).toEqual([400, 'Invalid or expired code', 'invalid_grant']);
      const code = await newCode(world, app, user, PKCE);
      expect((await token({ grant_type: 'authorization_code', code, ...pkce })).status).toBe(200);
    });

    it('treats empty parameters as omitted (RFC 6749 section 3.2)', async () => {
      const unfilled = { client_secret: '', scope: '', refresh_token: '', resource: '' };
      const verifier = { client_id: app.id, code_verifier: VERIFIER };
      expect((await redeem(await newCode(world, app, user, PKCE), { ...unfilled, ...verifier })).status).toBe(200);
      const nameless = basic(app.id, '');
      const byBasic = await redeem(await newCode(world, app, user, PKCE), { ...verifier, client_id: '' }, nameless);
      expect(byBasic.status).toBe(200);
      const plain = await redeem(await newCode(world, app, user), { ...secret(), code_verifier: '' });
      expect(plain.status).toBe(200);
      const both = { token: plain.body.refresh_token, client_id: '', client_secret: '' };
      const asked = await postForm(`${world.baseUrl}/token/introspect`, both, basic(app.id, app.secret));
      expect(asked.body).toMatchObject({ active: true });
    });

    it('uses up the code with a verifier that is too long, also without redirect_uri', async () => {
      const code = await newCode(world, app, user, PKCE);
      const fields = { grant_type: 'authorization_code', code, ...secret() };
      const wrong = await token({ ...fields, code_verifier: 'a'.repeat(513) });
      expect(wrong.refusal).toEqual([400, 'Invalid code_verifier', 'invalid_grant']);
      const spent = await token({ ...fields, code_verifier: VERIFIER });
      expect(spent.refusal).toEqual([400, 'Invalid or expired code', 'invalid_grant']);
    });

    it('treats an empty redirect_uri and device_id in JSON as omitted', async () => {
      const unfilled = { redirect_uri: '', code_verifier: VERIFIER, ...secret() };
      const [first, second] = [await newCode(world, app, user, PKCE), await newCode(world, app, user, PKCE)];
      const asked = { grant_type: 'authorization_code', code: first, ...unfilled };
      expect((await postJson(`${world.baseUrl}/auth/token`, asked)).status).toBe(200);
      const exchange = { code: second, device_id: '', ...unfilled };
      const { status, body } = await postJson<Tokens>(`${world.baseUrl}/token/exchange`, exchange);
      expect(status).toBe(200);
      const rows = await world.sql<{ device_id: string | null }>(
        `SELECT f.device_id FROM refresh_families f JOIN refresh_tokens t ON t.family_id = f.id
         WHERE t.token_hash = sha256($1::text::bytea)`,
        [body.refresh_token],
      );
      expect(rows).toEqual([{ device_id: null }]);
    });

    it('treats an empty verifier at POST /token/exchange as omitted', async () => {
      for (const send of [postForm, postJson]) {
        const code = await newCode(world, app, user);
        const url = `${world.baseUrl}/token/exchange`;
        expect((await send(url, { code, app_id: app.id, code_verifier: '', client_secret: '' })).status).toBe(200);
      }
    });

    it('returns an ID token that belongs to the access token for scope openid', async () => {
      const asked = { response_type: 'code', scope: 'openid profile', nonce: 'n-0S6_WzA2Mj' };
      const { body } = await redeem(await newCode(world, app, user, asked), secret());
      const { header, payload } = readJwt(body.id_token);
      expect(header).toMatchObject({ alg: 'RS256', kid: readJwt(body.access_token).header['kid'] });
      expect(payload).toMatchObject({
        iss: world.baseUrl,
        sub: user.id,
        aud: app.id,
        nonce: 'n-0S6_WzA2Mj',
        amr: ['pwd'],
        auth_time: expect.any(Number),
        at_hash: createHash('sha256').update(body.access_token).digest().subarray(0, 16).toString('base64url'),
      });
      expect(Number(payload['exp']) - Number(payload['iat'])).toBe(900);
      expect(body.scope).toBe('openid profile');
    });

    it('returns no ID token without scope openid', async () => {
      const { body } = await redeem(await newCode(world, app, user, { scope: 'email' }), secret());
      expect(body.id_token).toBeUndefined();
    });
  });

  describe('refresh_token', () => {
    it('rotates the token for a client with its secret and for one without', async () => {
      const first = await world.tokens(user, app.id);
      const second = await refresh(first.refresh_token);
      expect(second.status).toBe(200);
      expect((await refresh(second.body.refresh_token, { client_id: app.id })).status).toBe(200);
    });

    it('rejects a wrong secret and spends nothing', async () => {
      const { refresh_token } = await world.tokens(user, app.id);
      const wrong = await refresh(refresh_token, { ...secret(), client_secret: 'wrong' });
      expect(wrong.refusal).toEqual([401, 'invalid_client', 'invalid_client']);
      expect((await refresh(refresh_token)).status).toBe(200);
    });

    it('returns 400 invalid_grant where /token/refresh returns 401 or 403 (RFC 6749 section 5.2)', async () => {
      const someone = await world.user(app);
      const { refresh_token } = await world.tokens(someone, app.id);
      const other = await world.app(tenant);
      expect((await refresh('unknown')).refusal).toEqual([400, 'Invalid or expired refresh token', 'invalid_grant']);
      const foreign = await refresh(refresh_token, { client_id: other.id, client_secret: other.secret });
      expect(foreign.refusal).toEqual([400, 'Token does not belong to this app', 'invalid_grant']);
      await world.asAdmin('POST', `/admin/users/${someone.id}/suspend`, { app_id: app.id });
      expect((await refresh(refresh_token)).refusal).toEqual([400, 'Account suspended', 'invalid_grant']);
    });

    it('keeps the scope of the sign-in and renews the ID token', async () => {
      const asked = { response_type: 'code', scope: 'openid email', nonce: 'once' };
      const first = await redeem(await newCode(world, app, user, asked), secret());
      const second = await refresh(first.body.refresh_token);
      expect(second.body.scope).toBe('openid email');
      const [before, after] = [readJwt(first.body.id_token).payload, readJwt(second.body.id_token).payload];
      expect([after['sub'], after['auth_time']]).toEqual([before['sub'], before['auth_time']]);
    });
  });
});
