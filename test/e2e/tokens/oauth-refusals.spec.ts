import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CHALLENGE, newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { authorizationPath, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const OTHER_CALLBACK = 'https://client.example/other';

/** RFC 9700: what an attacker tries at the endpoints themselves. */
describe('OAuth endpoints', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let other: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const redirect_uris = ['https://client.example/callback', OTHER_CALLBACK];
    app = { ...(await world.app(tenant, { config: { redirect_uris } })), redirectUri: redirect_uris[0]! };
    other = await world.app(tenant);
  });

  afterAll(() => world.close());

  beforeEach(async () => {
    user = await world.user(app);
  });

  const client = () => ({ client_id: app.id, client_secret: app.secret });
  const send = (path: string, fields: [string, string][], headers = {}) =>
    postForm(`${world.baseUrl}${path}`, fields, headers);
  const error = ({ status, body }: { status: number; body: Failure }) => [status, body.error];

  describe('reject a repeated parameter and spend nothing:', () => {
    it.each(['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'code_verifier', 'scope'])(
      '%s of an authorization code',
      async (name) => {
        const code = await newCode(world, app, user, PKCE);
        const fields = {
          grant_type: 'authorization_code',
          code,
          redirect_uri: app.redirectUri,
          code_verifier: VERIFIER,
          scope: 'openid',
          ...client(),
        };
        const twice = [...Object.entries(fields), [name, fields[name as keyof typeof fields]]] as [string, string][];
        const refused = await send('/auth/token', twice);
        // A malformed verifier is a wrong one: it burns the code like every other (RFC 9700 section 4.5.3.1).
        if (name === 'code_verifier') return expect(error(refused)).toEqual([400, 'invalid_grant']);
        expect(error(refused)).toEqual([400, 'invalid_request']);
        expect(refused.body.error_description).toBe(`${name}: Input should be a valid string`);
        expect((await send('/auth/token', Object.entries(fields))).status).toBe(200);
      },
    );

    it('a refresh token', async () => {
      const { refresh_token } = await world.tokens(user, app.id);
      const fields: [string, string][] = [
        ['grant_type', 'refresh_token'],
        ['refresh_token', refresh_token],
        ...Object.entries(client()),
      ];
      expect(error(await send('/auth/token', [...fields, ['refresh_token', refresh_token]]))).toEqual([
        400,
        'invalid_request',
      ]);
      expect((await send('/auth/token', fields)).status).toBe(200);
    });

    it.each(['/token/introspect', '/token/revoke'])('the token at %s', async (path) => {
      const { refresh_token } = await world.tokens(user, app.id);
      const twice: [string, string][] = [...Object.entries(client()), ['token', refresh_token], ['token', 'x']];
      expect(error(await send(path, twice))).toEqual([400, 'invalid_request']);
      expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(200);
    });

    it.each([['client_id'], ['redirect_uri']])(
      '%s at the authorization endpoint, with a page and no redirect',
      async (name) => {
        const query = new URLSearchParams(authorizationPath(app).split('?')[1]);
        query.append(name, query.get(name)!);
        const answer = await new HostedBrowser(world.baseUrl).get(`/login?${query.toString()}`);
        expect([answer.status, answer.location]).toEqual([400, null]);
      },
    );

    it.each(['response_type', 'scope', 'state', 'nonce', 'prompt', 'max_age', 'id_token_hint', 'code_challenge'])(
      '%s at the authorization endpoint, with an error to the client',
      async (name) => {
        const parameters = {
          ...PKCE,
          state: 's',
          nonce: 'n',
          prompt: 'login',
          max_age: '1',
          id_token_hint: 'x',
        };
        const query = new URLSearchParams(authorizationPath(app, parameters).split('?')[1]);
        query.append(name, query.get(name)!);
        for (const method of ['GET', 'POST'] as const) {
          const browser = new HostedBrowser(world.baseUrl);
          const answer =
            method === 'GET'
              ? await browser.get(`/login?${query.toString()}`)
              : await fetch(`${world.baseUrl}/login`, { method, body: query, redirect: 'manual' });
          const { searchParams } = new URL(answer.headers.get('location')!);
          expect([searchParams.get('error'), searchParams.get('iss'), searchParams.has('code')]).toEqual([
            'invalid_request',
            world.baseUrl,
            false,
          ]);
          expect(searchParams.get('state')).toBe(name === 'state' ? null : 's');
        }
      },
    );
  });

  describe('reject a mix of', () => {
    it('one client’s code and another client, in every way of naming the client (RFC 9700 section 4.5)', async () => {
      const stolen = () => newCode(world, app, user);
      const mine = { client_id: other.id, client_secret: other.secret };
      expect((await redeem<Failure>(world, app, await stolen(), mine)).body.error).toBe('invalid_grant');
      const grant = async () =>
        ({ grant_type: 'authorization_code', code: await stolen(), redirect_uri: app.redirectUri }) as const;
      const byBasic = await postForm(`${world.baseUrl}/auth/token`, await grant(), basic(other.id, other.secret));
      expect(error(byBasic)).toEqual([400, 'invalid_grant']);
      const mixed = await postForm(
        `${world.baseUrl}/auth/token`,
        { ...(await grant()), client_id: app.id },
        basic(other.id, other.secret),
      );
      expect(error(mixed)).toEqual([400, 'invalid_request']);
      const crossed = await postForm(`${world.baseUrl}/auth/token`, {
        ...(await grant()),
        client_id: app.id,
        client_secret: other.secret,
      });
      expect(error(crossed)).toEqual([401, 'invalid_client']);
    });

    it('a code and another callback of the same client', async () => {
      const answer = await redeem<Failure>(world, app, await newCode(world, app, user), {
        redirect_uri: OTHER_CALLBACK,
      });
      expect(error(answer)).toEqual([400, 'invalid_grant']);
    });

    it('a challenge and another sign-in’s verifier (RFC 9700 section 4.8)', async () => {
      const [bound, loose] = [await newCode(world, app, user, PKCE), await newCode(world, app, user)];
      expect(error(await redeem<Failure>(world, app, bound, { code_verifier: CHALLENGE }))).toEqual([
        400,
        'invalid_grant',
      ]);
      expect(error(await redeem<Failure>(world, app, loose, { code_verifier: VERIFIER }))).toEqual([
        400,
        'invalid_grant',
      ]);
    });

    it('an ID token and another app or another user', async () => {
      const { tokens } = await openIdSignIn(world, app, user);
      const stranger = await world.user(other);
      const { browser } = await openIdSignIn(world, other, stranger);
      // One that proves nothing is an error where no page can be shown (OpenID Connect Core 3.1.2.2), and else no hint.
      const asked = { prompt: 'none', id_token_hint: tokens.id_token };
      for (const id_token_hint of [tokens.id_token, `${tokens.id_token.slice(0, -4)}AAAA`, tokens.access_token, 'x']) {
        const answer = await browser.get(authorizationPath(other, { prompt: 'none', id_token_hint }));
        expect([answer.delivered.get('error'), answer.delivered.has('code')]).toEqual(['login_required', false]);
        const shown = await browser.get(authorizationPath(other, { id_token_hint }));
        expect(shown.delivered.has('code')).toBe(true);
      }
      // The stranger is not in this app, so there is nothing to hand out either.
      const mine = await browser.get(authorizationPath(app, asked));
      expect([mine.delivered.get('error'), mine.delivered.has('code')]).toEqual(['login_required', false]);
    });
  });

  it('let only the user of id_token_hint return, also after a sign-in (OpenID Connect Core 3.1.2.1)', async () => {
    const { tokens } = await openIdSignIn(world, app, user);
    const other = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const path = authorizationPath(app, { id_token_hint: tokens.id_token, state: 's' });
    const wrong = await browser.signIn(path, other.email, other.password);
    expect([wrong.delivered.get('error'), wrong.delivered.has('code')]).toEqual(['login_required', false]);
    const right = await browser.signIn(path, user.email, user.password);
    expect(right.delivered.has('code')).toBe(true);
  });

  it('let the user of id_token_hint sign in while another user is signed in', async () => {
    const { tokens } = await openIdSignIn(world, app, user);
    const { browser } = await openIdSignIn(world, app, await world.user(app));
    const page = await browser.get(authorizationPath(app, { id_token_hint: tokens.id_token }));
    expect([page.status, page.location]).toEqual([200, null]);
    const back = await browser.submit(page, { email: user.email, password: user.password });
    expect(back.delivered.has('code')).toBe(true);
  });

  it('read nothing from the URL: no secret, no token, no grant', async () => {
    const { access_token, refresh_token } = await world.tokens(user, app.id);
    const query = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, ...client() });
    expect((await fetch(`${world.baseUrl}/auth/token?${query.toString()}`, { method: 'POST' })).status).toBe(400);
    expect((await fetch(`${world.baseUrl}/auth/token?${query.toString()}`)).status).toBe(405);
    expect((await fetch(`${world.baseUrl}/userinfo?access_token=${access_token}`)).status).toBe(401);
    const about = new URLSearchParams({ token: access_token, ...client() });
    const introspected = await fetch(`${world.baseUrl}/token/introspect?${about.toString()}`, { method: 'POST' });
    expect([400, 401, 422]).toContain(introspected.status);
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(200);
  });

  it('never redirect with a status that would repeat a body (RFC 9700 section 4.12)', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(authorizationPath(app));
    const answer = await browser.post(page.formAction(), {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    expect(answer.status).toBe(303);
    expect((await browser.get(answer.location!)).status).toBe(302);
    expect((await browser.post('/logout', {})).status).toBe(200);
  });
});
