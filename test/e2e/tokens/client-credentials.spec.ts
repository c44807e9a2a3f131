import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJwt } from '../../support/jwt-parts.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { eventually } from '../../support/wait.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

interface ServiceToken {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

// security 54, 71, 72, 74
describe('POST /auth/token with client_credentials', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(() => world.close());

  const url = () => `${world.baseUrl}/auth/token`;
  const request = async (fields: Record<string, unknown> = {}) => {
    const answer = await postJson<ServiceToken & { detail: unknown; error: string }>(url(), {
      grant_type: 'client_credentials',
      client_id: app.id,
      client_secret: app.secret,
      ...fields,
    });
    return { ...answer, refusal: [answer.status, answer.body.detail, answer.body.error] };
  };
  const newApp = async () => (app = await world.app(tenant));

  it('returns a token for the app itself with all of its scopes', async () => {
    await newApp();
    const { status, body, headers } = await request();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 900,
      scope: 'push:send users:read users:create invites:create',
    });
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    const { header, payload } = readJwt(body.access_token);
    expect(header).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toMatchObject({
      token_use: 'service',
      sub: app.id,
      client_id: app.id,
      aud: app.id,
      tenant_id: tenant.id,
      iss: world.baseUrl,
      scope: body.scope,
    });
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(900);
  });

  it('accepts a form', async () => {
    await newApp();
    const answer = await postForm<ServiceToken>(url(), {
      grant_type: 'client_credentials',
      client_id: app.id,
      client_secret: app.secret,
      scope: 'push:send',
    });
    expect([answer.status, answer.body.scope]).toEqual([200, 'push:send']);
  });

  it('describes a refused scope with the characters that an error_description may hold (RFC 6749 section 5.2)', async () => {
    await newApp();
    const scope = 'a"b\\ü\u0007';
    const { status, body } = await postForm(
      url(),
      { grant_type: 'client_credentials', scope },
      basic(app.id, app.secret),
    );
    expect([status, body]).toEqual([
      400,
      { detail: `invalid_scope: ${scope}`, error: 'invalid_scope', error_description: 'invalid_scope: a?b???' },
    ]);
    const long = await request({ scope: 'x'.repeat(1024) });
    expect((long.body as Failure).error_description).toHaveLength(500);
  });

  it('accepts HTTP Basic with the scheme in any capitals', async () => {
    await newApp();
    for (const scheme of ['Basic', 'basic']) {
      const Authorization = basic(app.id, app.secret)['Authorization']!.replace('Basic', scheme);
      const answer = await postForm(url(), { grant_type: 'client_credentials' }, { Authorization });
      expect(answer.status).toBe(200);
    }
  });

  it.each([
    ['an unknown client', { client_id: '6b1ed2f2-9f0c-4a2b-8f44-1c8f5a5a5a5a' }],
    ['a client id that is no UUID', { client_id: 'nobody' }],
    ['no client id', { client_id: undefined }],
    ['a wrong secret', { client_secret: 'x'.repeat(43) }],
    ['an empty secret', { client_secret: '' }],
    ['no secret', { client_secret: undefined }],
  ])('returns 401 invalid_client for %s (security 71)', async (_, fields) => {
    await newApp();
    const { refusal, headers } = await request(fields);
    expect(refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    // A challenge would send a client that names itself in the body to the header (RFC 6749 section 5.2).
    expect(headers.get('www-authenticate')).toBe(
      'client_id' in fields && !fields.client_id ? 'Basic realm="token"' : null,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('gives an unknown client and a wrong secret the same bytes and header names (security 71)', async () => {
    await newApp();
    const [unknown, wrong] = [await request({ client_id: tenant.id }), await request({ client_secret: 'wrong' })];
    expect(JSON.stringify(unknown.body)).toBe(JSON.stringify(wrong.body));
    expect([...unknown.headers.keys()]).toEqual([...wrong.headers.keys()]);
  });

  it.each([
    ['nothing decodable', 'Basic !!!'],
    ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
    ['a broken percent sign', `Basic ${Buffer.from('%zz:x').toString('base64')}`],
  ])('returns 401 invalid_client for HTTP Basic with %s', async (_, Authorization) => {
    const answer = await postForm(url(), { grant_type: 'client_credentials' }, { Authorization });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  it('rejects two ways of authentication at once (RFC 6749 section 2.3)', async () => {
    await newApp();
    const fields = { grant_type: 'client_credentials', client_secret: app.secret };
    const { status, body } = await postForm<Failure>(url(), fields, basic(app.id, app.secret));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('rejects an app that is off and an app of a tenant that is off', async () => {
    const own = await world.tenant();
    app = await world.app(own);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false });
    expect((await request()).refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: true });
    expect((await request()).status).toBe(200);
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect((await request()).refusal).toEqual([401, 'invalid_client', 'invalid_client']);
  });

  it('rejects the old secret in the request after the secret was rotated (security 71)', async () => {
    await newApp();
    const { client_secret } = await world.asAdmin<{ client_secret: string }>(
      'POST',
      `/admin/apps/${app.id}/regenerate-secret`,
    );
    expect((await request()).refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    expect((await request({ client_secret })).status).toBe(200);
    expect(Buffer.from(client_secret.replace(/^[a-z]+_/, ''), 'base64url').length).toBeGreaterThanOrEqual(32);
  });

  it('audits a wrong secret as service_token.refused', async () => {
    await newApp();
    await request({ client_secret: 'wrong' });
    // The caller does not wait for the entry.
    await eventually('the refusal is written down', async () => {
      const rows = await world.sql(`SELECT outcome, metadata FROM audit_entries WHERE app_id = $1 AND action = $2`, [
        app.id,
        'service_token.refused',
      ]);
      return JSON.stringify(rows) === JSON.stringify([{ outcome: 'failure', metadata: { reason: 'wrong_secret' } }]);
    });
  });

  it.each([
    ['an unknown scope', 'everything', 'everything'],
    ['a known scope that the app lacks', 'push:send apps:write', 'apps:write'],
  ])('returns 400 invalid_scope for %s, and names it (security 72)', async (_, scope, named) => {
    await newApp();
    expect((await request({ scope })).refusal).toEqual([400, `invalid_scope: ${named}`, 'invalid_scope']);
  });

  it('treats an empty scope as omitted (RFC 6749 section 3.2)', async () => {
    await newApp();
    const all = 'push:send users:read users:create invites:create';
    expect((await request({ scope: '' })).body.scope).toBe(all);
    const client = { client_id: app.id, client_secret: app.secret };
    const form = await postForm<ServiceToken>(url(), { grant_type: 'client_credentials', scope: '', ...client });
    expect(form.body.scope).toBe(all);
  });

  it('rejects a scope that the app has lost, at the next call (security 72)', async () => {
    await newApp();
    const token = await world.serviceToken(app, 'users:read');
    expect((await world.call('GET', '/admin/users', undefined, { token })).status).toBe(200);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { service_scopes: ['push:send'] });
    const answer = await world.call('GET', '/admin/users', undefined, { token });
    expect([answer.status, answer.body['detail']]).toEqual([403, 'Missing required scope']);
    // RFC 6750 section 3.1
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="users:read"');
  });

  it('checks client before scope, and the grant type before both', async () => {
    await newApp();
    expect((await request({ client_secret: 'wrong', scope: 'nope' })).status).toBe(401);
    expect((await request({ client_secret: 'wrong', grant_type: 'password' })).refusal).toEqual([
      400,
      'unsupported_grant_type',
      'unsupported_grant_type',
    ]);
  });

  it.each([
    [{ grant_type: undefined }, 'grant_type', 'missing'],
    [{ grant_type: '' }, 'grant_type', 'string_too_short'],
    [{ grant_type: ['client_credentials'] }, 'grant_type', 'string_type'],
    [{ client_id: null }, 'client_id', 'string_type'],
    [{ scope: ['push:send'] }, 'scope', 'string_type'],
  ])('returns 422 with invalid_request for %j', async (fields, name, type) => {
    const answer = await request(fields);
    expect([answer.status, answer.body.error]).toEqual([422, 'invalid_request']);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ['body', name], type })]);
  });

  it('names no user: the subject is the app (security 74)', async () => {
    await newApp();
    const users = await world.sql('SELECT 1 FROM users WHERE id = $1', [
      readJwt(await world.serviceToken(app)).payload['sub'],
    ]);
    expect(users).toHaveLength(0);
  });
});
