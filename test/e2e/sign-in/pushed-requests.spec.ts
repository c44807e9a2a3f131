import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { expectOne } from '../../support/judged.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { testSettings } from '../../support/test-settings.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

interface Pushed {
  readonly request_uri: string;
  readonly expires_in: number;
}

const LIMIT = 20;

describe('Pushed authorization requests (RFC 9126)', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let strict: TestClient;
  let user: TestUser;
  let member: TestUser;

  beforeAll(async () => {
    const { rateLimits } = testSettings();
    const overrides = { ...rateLimits.overrides, pushed_requests: { points: LIMIT, seconds: 60 } };
    service = await startTestApp({ settings: { rateLimits: { ...rateLimits, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { client_type: 'confidential' } });
    strict = await world.app(tenant, { config: { require_par: true } });
    user = await world.user(app);
    member = await world.user(strict);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const push = (client: TestClient, fields: Record<string, string> | [string, string][] = {}) =>
    postForm<Pushed & Failure>(
      `${service.baseUrl}/auth/par`,
      Array.isArray(fields)
        ? fields
        : { client_id: client.id, response_type: 'code', redirect_uri: client.redirectUri, ...fields },
      basic(client.id, client.secret),
    );
  const pushed = async (client: TestClient, fields: Record<string, string> = {}): Promise<string> => {
    const answer = await push(client, fields);
    if (answer.status !== 201) throw new Error(`Not pushed: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.request_uri;
  };
  const loginBy = (client: TestClient, request_uri: string, more: Record<string, string> = {}) =>
    `/login?${new URLSearchParams({ client_id: client.id, request_uri, ...more }).toString()}`;
  const browser = () => new HostedBrowser(service.baseUrl);
  /** The reference is spent, so the page has its own address, which can be loaded again. */
  const open = async (visitor: HostedBrowser, path: string) => {
    const begun = await visitor.get(path);
    return begun.location?.startsWith('/sign-in/') ? visitor.get(begun.location) : begun;
  };
  const signIn = async (path: string, { email, password }: TestUser) => {
    const visitor = browser();
    return visitor.submit(await open(visitor, path), { email, password });
  };

  it('are answered with a reference, by which the browser signs in and nothing in its query counts', async () => {
    const answer = await push(app, { state: 'pushed', scope: 'openid', ...PKCE });
    expect([answer.status, answer.headers.get('cache-control'), answer.body]).toEqual([
      201,
      'no-store',
      { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/), expires_in: 60 },
    ]);
    const path = loginBy(app, answer.body.request_uri, { state: 'typed', redirect_uri: 'https://attacker.example/' });
    const end = await signIn(path, user);
    expect(end.location!.split('?')[0]).toBe(app.redirectUri);
    expect([...end.delivered.keys()]).toEqual(['code', 'state', 'iss']);
    expect(end.delivered.get('state')).toBe('pushed');
    const exchange = { code: end.delivered.get('code'), redirect_uri: app.redirectUri, code_verifier: VERIFIER };
    const tokens = await world.call<{ id_token: string }>('POST', '/auth/token', {
      ...exchange,
      grant_type: 'authorization_code',
      client_id: app.id,
      client_secret: app.secret,
    });
    expect([tokens.status, typeof tokens.body.id_token]).toEqual([200, 'string']);
  });

  it('are used once, by one of many browsers that bring the reference at the same time', async () => {
    const path = loginBy(app, await pushed(app));
    const answers = await Promise.all(Array.from({ length: 16 }, () => open(browser(), path)));
    expectOne(answers, { won: 200, refused: 400 });
  });

  it('cannot be used by another app, which does not spend the reference', async () => {
    const reference = await pushed(app);
    const other = await world.app(tenant);
    expect((await browser().get(loginBy(other, reference))).status).toBe(400);
    expect((await open(browser(), loginBy(app, reference))).status).toBe(200);
  });

  it('expire after a minute', async () => {
    const reference = await pushed(app);
    const [row] = await world.sql<{ seconds: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM pushed_requests WHERE app_id = $1',
      [app.id],
    );
    expect(row!.seconds).toBe(60);
    await world.sql('UPDATE pushed_requests SET expires_at = now() WHERE app_id = $1', [app.id]);
    const late = await browser().get(loginBy(app, reference));
    expect([late.status, late.location]).toEqual([400, null]);
  });

  it('are stored without the secret of the app and without the reference', async () => {
    const reference = await pushed(app, { client_secret: '', state: 'kept', made_up: 'x' });
    const [row] = await world.sql<{ row: string; parameters: object }>(
      'SELECT p::text AS row, parameters FROM pushed_requests p WHERE app_id = $1 ORDER BY created_at DESC LIMIT 1',
      [app.id],
    );
    expect(row!.parameters).toEqual({
      client_id: app.id,
      response_type: 'code',
      redirect_uri: app.redirectUri,
      state: 'kept',
    });
    expect(row!.row).not.toContain(reference.slice(-43));
  });

  it.each<[string, Record<string, string>, string, string]>([
    [
      'a redirect URI that is not registered',
      { redirect_uri: 'https://attacker.example/' },
      'invalid_request',
      'redirect_uri is not registered',
    ],
    [
      'another app_id',
      { app_id: '00000000-0000-4000-8000-000000000000' },
      'invalid_request',
      'client_id differs from the authenticated client',
    ],
    [
      'another client’s id',
      { client_id: '00000000-0000-4000-8000-000000000000' },
      'invalid_request',
      'client_id differs',
    ],
    [
      'a reference',
      { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
      'invalid_request',
      'request_uri cannot be pushed',
    ],
    [
      'a request object',
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      'request_not_supported',
      'Request objects are not supported',
    ],
    [
      'another response type',
      { response_type: 'token' },
      'unsupported_response_type',
      'Only response_type=code is supported',
    ],
    [
      'no scope that exists',
      { scope: 'made:up' },
      'invalid_scope',
      'None of the requested scopes is available to users',
    ],
    [
      'a plain challenge',
      { code_challenge: 'x', code_challenge_method: 'plain' },
      'invalid_request',
      'code_challenge_method must be S256',
    ],
    [
      'a long list of prompts',
      { prompt: Array<string>(64).fill('login').join(' ') },
      'invalid_request',
      'prompt is too long',
    ],
  ])('with %s are refused', async (_, fields, error, description) => {
    const answer = await push(await world.app(tenant), fields);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(answer.body.error_description).toContain(description);
  });

  it('with a repeated parameter are refused', async () => {
    const client = await world.app(tenant);
    const uri: [string, string] = ['redirect_uri', client.redirectUri];
    const twice = await push(client, [uri, ['response_type', 'code'], ['state', '1'], ['state', '2']]);
    expect([twice.status, twice.body.error_description]).toEqual([400, 'state is given more than once']);
    const clients = await push(client, [uri, ['client_id', client.id], ['client_id', client.id]]);
    expect([clients.status, clients.body.error]).toEqual([400, 'invalid_request']);
  });

  it('need the secret of a confidential client, and PKCE of a public one', async () => {
    const open = await world.app(tenant, { config: { client_type: 'public' } });
    const bare = (client: TestClient, more: Record<string, string> = {}) =>
      postForm(`${service.baseUrl}/auth/par`, {
        client_id: client.id,
        response_type: 'code',
        redirect_uri: client.redirectUri,
        ...more,
      });
    for (const answer of [await bare(app), await bare(app, { client_secret: 'wrong' })])
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect((await bare({ ...app, id: 'unknown' })).body.error).toBe('invalid_client');
    expect((await bare(open)).body.error_description).toBe('code_challenge is missing');
    expect((await bare(open, PKCE)).status).toBe(201);
  });

  it('are limited per app', async () => {
    const client = await world.app(tenant);
    for (let count = 0; count < LIMIT; count++) await pushed(client);
    const refused = await push(client);
    expect([refused.status, refused.body.detail]).toEqual([429, 'too_many_requests']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await pushed(await world.app(tenant));
  });

  describe('required by an app', () => {
    it('are the only way to sign in at the app', async () => {
      const direct = await browser().get(loginPath(strict, { state: 'kept', response_type: 'code' }));
      expect(Object.fromEntries(direct.delivered)).toMatchObject({ error: 'invalid_request', state: 'kept' });
      expect(direct.delivered.get('error_description')).toBe('The request must be pushed first (POST /auth/par)');
      const end = await signIn(loginBy(strict, await pushed(strict)), member);
      expect(end.delivered.get('code')).toBeTruthy();
    });

    it('are not replaced by an invite or a sign-in that began before', async () => {
      const late = await world.app(tenant);
      const guest = await world.user(late);
      const begun = browser();
      const page = await begun.get(loginPath(late));
      await world.asAdmin('PUT', `/admin/apps/${late.id}`, { config: { require_par: true } });
      const end = await begun.submit(page, { email: guest.email, password: guest.password });
      expect(Object.fromEntries(end.delivered)).toEqual({ error: 'login_required' });
      const invited = browser();
      invited.setCookie('sso', begun.cookie('sso')!);
      const { code } = await newInvite(world, late);
      const joining = await invited.submit(await invited.get(`/invite?code=${code}`), { code });
      const done = await invited.submit(joining, { code });
      expect(Object.fromEntries(done.delivered)).toEqual({ error: 'login_required', iss: world.baseUrl });
      expect(await world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [guest.id])).toEqual([]);
      // The app pushes its own request, which asks for nothing.
      expect((await invited.get(loginBy(late, await pushed(late)))).delivered.get('code')).toBeTruthy();
    });

    it('are not replaced by a mailed link or a redirect to a provider', async () => {
      const { email } = member;
      await world.call('POST', '/auth/magic-link/request', { email, app_id: strict.id });
      const start = `/oauth/github/start?${new URLSearchParams({ app_id: strict.id, redirect_uri: strict.redirectUri }).toString()}`;
      const answer = await browser().get(start);
      expect(answer.status === 302 && answer.location!.startsWith('https://github.com')).toBe(false);
      expect(await world.sql('SELECT 1 FROM mail_links WHERE user_id = $1', [member.id])).toEqual([]);
    });
  });

  it('are named in the metadata of the server', async () => {
    const { body } = await world.call('GET', '/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      pushed_authorization_request_endpoint: `${service.baseUrl}/auth/par`,
      require_pushed_authorization_requests: false,
    });
  });
});
