import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const INVALID_CLIENT = [401, 'invalid_client'];

describe('config.client_type', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { client_type: 'confidential' } });
    user = await world.user(app);
  });

  afterAll(() => world.close());

  it.each([
    ['public', null],
    ['native', null],
    ['confidential', expect.any(String)],
  ])('%s decides whether a new app is answered with a secret', async (client_type, client_secret) => {
    const fields = { tenant_id: tenant.id, name: 'App', bundle_id: `com.example.${unique()}`, config: { client_type } };
    expect(await world.asAdmin('POST', '/admin/apps', fields)).toMatchObject({ client_secret });
  });

  const post = async (path: string, fields: Record<string, string>, headers = {}) => {
    const url = `${world.baseUrl}${path}`;
    const send = path === '/auth/token' ? postForm<Tokens & Failure> : postJson<Tokens & Failure>;
    const { status, body, headers: sent } = await send(url, fields, headers);
    return { status, body, refusal: [status, body.detail], challenge: sent.get('www-authenticate') };
  };
  /** The same exchange and the same refresh at both doors. */
  const exchanges = (code: string) =>
    [
      ['/token/exchange', { code, app_id: app.id, code_verifier: VERIFIER }],
      [
        '/auth/token',
        {
          grant_type: 'authorization_code',
          code,
          client_id: app.id,
          redirect_uri: app.redirectUri,
          code_verifier: VERIFIER,
        },
      ],
    ] as const;
  const refreshes = (refresh_token: string) =>
    [
      ['/token/refresh', { refresh_token, app_id: app.id }],
      ['/auth/token', { grant_type: 'refresh_token', refresh_token, client_id: app.id }],
    ] as const;

  it('confidential: rejects a code without the secret, even with its verifier, and does not burn it', async () => {
    const code = await newCode(world, app, user, PKCE);
    for (const [path, fields] of exchanges(code)) expect((await post(path, fields)).refusal).toEqual(INVALID_CLIENT);
    const [, oauth] = exchanges(code);
    expect((await post(oauth[0], oauth[1], basic(app.id, app.secret))).status).toBe(200);
  });

  it('confidential: rejects a refresh without the secret and does not spend the token', async () => {
    const { refresh_token } = await world.tokens(user, app.id);
    for (const [path, fields] of refreshes(refresh_token)) {
      expect((await post(path, fields)).refusal).toEqual(INVALID_CLIENT);
      expect((await post(path, { ...fields, client_secret: 'wrong' })).refusal).toEqual(INVALID_CLIENT);
    }
    let current = refresh_token;
    for (const how of [0, 1]) {
      const [path, fields] = refreshes(current)[how]!;
      const inBody = await post(path, { ...fields, client_secret: app.secret });
      expect(inBody.status).toBe(200);
      const [, again] = refreshes(inBody.body.refresh_token)[how]!;
      const byBasic = await post(path, again, basic(app.id, app.secret));
      expect(byBasic.status).toBe(200);
      current = byBasic.body.refresh_token;
    }
  });

  it('confidential: gets a challenge only if it sent the header (RFC 6749 section 5.2)', async () => {
    for (const [path, fields] of [...exchanges('x'), ...refreshes('x')]) {
      const inBody = await post(path, { ...fields, client_secret: 'wrong' });
      expect([path, inBody.refusal, inBody.challenge]).toEqual([path, INVALID_CLIENT, null]);
      const byBasic = await post(path, fields, basic(app.id, 'wrong'));
      expect([path, byBasic.refusal, byBasic.challenge]).toEqual([path, INVALID_CLIENT, 'Basic realm="token"']);
    }
  });

  it('confidential: sends a custom scheme a code, never tokens', async () => {
    const redirectUri = `com.example.n${unique()}:/cb`;
    const config = { redirect_uris: [redirectUri], client_type: 'confidential' };
    const native = { ...(await world.app(tenant, { config })), redirectUri };
    const member = await world.user(native);
    const end = await new HostedBrowser(service.baseUrl).signIn(loginPath(native), member.email, member.password);
    expect([...end.delivered.keys()]).toEqual(['code']);
  });

  it('public: requires a challenge for every sign-in, and accepts PKCE alone', async () => {
    const open = await world.app(tenant, { config: { client_type: 'public' } });
    const member = await world.user(open);
    const refused = await new HostedBrowser(service.baseUrl).get(loginPath(open));
    expect(refused.delivered.get('error')).toBe('invalid_request');
    const code = await newCode(world, open, member, PKCE);
    const made = await post('/token/exchange', { code, app_id: open.id, code_verifier: VERIFIER });
    expect(made.status).toBe(200);
    const { refresh_token } = made.body;
    expect((await post('/token/refresh', { refresh_token, app_id: open.id })).status).toBe(200);
  });

  describe.each(['public', 'native'])('%s', (client_type) => {
    let open: TestClient;
    let member: TestUser;

    beforeAll(async () => {
      open = await world.app(tenant, { config: { device_grant: true } });
      member = await world.user(open);
    });
    const become = (type: string | null) =>
      world.asAdmin('PUT', `/admin/apps/${open.id}`, { config: { client_type: type } });
    const renewSecret = async () => {
      const made = await world.asAdmin<{ client_secret: string }>('POST', `/admin/apps/${open.id}/regenerate-secret`);
      open = { ...open, secret: made.client_secret };
    };

    it.each([
      ['client credentials', '/auth/token', { grant_type: 'client_credentials' }],
      ['introspection', '/token/introspect', { token: 'any' }],
      ['revocation', '/token/revoke', { token: 'any' }],
      ['a pushed request', '/auth/par', { response_type: 'code', ...PKCE }],
      ['a device', '/auth/device-authorization', {}],
      ['a refresh', '/token/refresh', { refresh_token: 'any' }],
      ['an OAuth refresh', '/auth/token', { grant_type: 'refresh_token', refresh_token: 'any' }],
      ['a code', '/token/exchange', { code: 'any', code_verifier: VERIFIER }],
    ])('does not accept the right secret with %s', async (_name, path, fields) => {
      await become(client_type);
      const url = `${world.baseUrl}${path}`;
      const all = { ...fields, redirect_uri: open.redirectUri, client_id: open.id, app_id: open.id };
      const proofs = [
        [{ ...all, client_secret: open.secret }, {}],
        [all, basic(open.id, open.secret)],
      ] as const;
      for (const [body, headers] of proofs) {
        const { status, body: answer } = await postForm<Failure>(url, body, headers);
        expect([status, answer.detail]).toEqual(INVALID_CLIENT);
      }
    });

    it('ends the service tokens that the app has', async () => {
      await become(null);
      await renewSecret();
      const token = await world.serviceToken(open);
      const list = async () => (await world.call('GET', `/admin/users?app_id=${open.id}`, undefined, { token })).status;
      expect(await list()).toBe(200);
      await become(client_type);
      expect(await list()).toBe(401);
    });

    it('ends its secret for good', async () => {
      await become(null);
      await renewSecret();
      const before = open;
      await world.serviceToken(before);
      await become(client_type);
      await become('confidential');
      await expect(world.serviceToken(before)).rejects.toThrow(/401/);
      await renewSecret();
      await world.serviceToken(open);
    });

    it('refuses a code that was made without a challenge, at the exchange', async () => {
      await become(null);
      const code = await newCode(world, open, member);
      await become(client_type);
      const made = await post('/token/exchange', { code, app_id: open.id });
      expect(made.status).toBe(400);
    });

    it('rotates refresh tokens, which no other app can use', async () => {
      await become(client_type);
      const code = await newCode(world, open, member, PKCE);
      const { body } = await post('/token/exchange', { code, app_id: open.id, code_verifier: VERIFIER });
      const { refresh_token } = body;
      const other = await world.app(tenant, { config: { client_type } });
      expect((await post('/token/refresh', { refresh_token, app_id: other.id })).status).toBe(401);
      const next = await post('/token/refresh', { refresh_token, app_id: open.id });
      expect(next.status).toBe(200);
      expect(next.body.refresh_token).not.toBe(refresh_token);
      expect((await post('/token/refresh', { refresh_token, app_id: open.id })).status).toBe(401);
    });
  });

  it('not set: checks a secret only if one is sent', async () => {
    const plain = await world.app(tenant);
    const member = await world.user(plain);
    const { refresh_token } = await world.tokens(member, plain.id);
    const fields = { refresh_token, app_id: plain.id };
    expect((await post('/token/refresh', { ...fields, client_secret: 'wrong' })).refusal).toEqual(INVALID_CLIENT);
    expect((await post('/token/refresh', fields)).status).toBe(200);
  });

  it('accepts only confidential, public, native and null', async () => {
    const put = async (client_type: unknown) =>
      (await world.call('PUT', `/admin/apps/${app.id}`, { config: { client_type } }, { token: world.admin.token }))
        .status;
    const { id } = await world.app(tenant, { config: { client_type: 'public' } });
    expect(await put('private')).toBe(422);
    expect(await put(true)).toBe(422);
    const cleared = await world.asAdmin<{ config: object }>('PUT', `/admin/apps/${id}`, {
      config: { client_type: null },
    });
    expect(cleared.config).toMatchObject({ client_type: null });
  });
});
