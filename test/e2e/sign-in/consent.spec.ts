import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { visitAccount } from '../../support/account-visitor.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser, type HostedAnswer } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { mailedLink } from '../../support/mailed-link.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { authorizationPath, type OpenIdTokens, redeem } from '../../support/openid-sign-in.js';
import { isBlocking } from '../../support/row-locks.js';
import { type Failure, postForm } from '../../support/post.js';
import { selfRegisteredApp } from '../../support/self-registered-app.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const ALL = { scope_email: 'on', scope_profile: 'on', scope_roles: 'on' };

// docs/decisions/0076
describe('Consent', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let own: TestClient;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant({ client_document_hosts: ['*'] });
    own = await world.app(tenant);
    app = await world.app(tenant, { config: { third_party: true, client_type: 'public', device_grant: true } });
  });

  afterAll(() => world.close());

  const asked = async (
    user: TestUser,
    client = app,
    parameters: Record<string, string> = {},
    browser = new HostedBrowser(world.baseUrl),
  ) => {
    const path = authorizationPath(client, { scope: 'openid email profile', ...PKCE, ...parameters });
    return { browser, page: await browser.signIn(path, user.email, user.password) };
  };
  const answered = async (user: TestUser, fields: Record<string, string>, client = app, parameters = {}) => {
    const { browser, page } = await asked(user, client, parameters);
    return { browser, answer: await browser.submit(page, fields) };
  };
  const exchanged = async (answer: HostedAnswer, client = app) => {
    const code = answer.delivered.get('code')!;
    return redeem<OpenIdTokens & Failure>(world, { ...client, secret: '' }, code, { code_verifier: VERIFIER });
  };
  const tokensOf = async (user: TestUser, client = app, fields: Record<string, string> = ALL) => {
    const { answer } = await answered(user, { answer: 'allow', ...fields }, client);
    return (await exchanged(answer, client)).body;
  };
  const heading = ({ body }: HostedAnswer) => /<h1[^>]*>([^<]*)/.exec(body)?.[1];

  it('is not asked for by an app of the tenant itself', async () => {
    const user = await world.user(own);
    const { page } = await asked(user, own);
    expect(page.delivered.get('code')).toBeTruthy();
  });

  it('lists each scope, and gives what is allowed', async () => {
    const user = await world.user(app);
    const { browser, page } = await asked(user);
    expect([page.status, heading(page)]).toEqual([200, 'Allow access?']);
    const boxes = [...page.body.matchAll(/type="checkbox" name="([^"]+)"/g)].map(([, name]) => name);
    expect(boxes).toEqual(['scope_email', 'scope_profile']);
    const answer = await browser.submit(page, { answer: 'allow', scope_email: 'on' });
    const { body } = await exchanged(answer);
    expect(body.scope).toBe('openid email');
    const { payload } = readJwt(body.access_token);
    expect([payload['email'], payload['roles'], payload['name']]).toEqual([user.email, undefined, undefined]);
    const userinfo = await world.call('GET', '/userinfo', undefined, { token: body.access_token });
    expect(Object.keys(userinfo.body).sort()).toEqual(['app_id', 'email', 'email_verified', 'sub', 'tenant_id']);
  });

  it('tells the app nothing of what is not allowed, not even by single claims', async () => {
    const user = await world.user(app);
    const claims = JSON.stringify({ userinfo: { email: null, name: null }, id_token: { email: null } });
    const { answer } = await answered(user, { answer: 'allow' }, app, { claims });
    const { body } = await exchanged(answer);
    expect(body.scope).toBe('openid');
    for (const token of [body.access_token, body.id_token])
      expect(JSON.stringify(readJwt(token).payload)).not.toContain(user.email);
    const userinfo = await world.call('GET', '/userinfo', undefined, { token: body.access_token });
    expect(JSON.stringify(userinfo.body)).not.toContain(user.email);
    const verified = await world.call<{ valid: boolean; claims: object }>('POST', '/token/verify', {
      token: body.access_token,
      audience: app.id,
    });
    expect(verified.body.valid).toBe(true);
    expect(Object.keys(verified.body.claims)).not.toContain('email');
  });

  it('offers no choice of what comes with every sign-in', async () => {
    const user = await world.user(app);
    const { answer } = await answered(user, { answer: 'allow' }, app, { scope: 'openid email offline_access' });
    expect((await exchanged(answer)).body.scope).toBe('openid offline_access');
  });

  it('names scopes that are called like members of objects', async () => {
    const identifier = `https://api.${unique()}.example`;
    const resources = [{ identifier, name: 'API', scopes: ['constructor', 'toString'], token_lifetime_minutes: 5 }];
    const config = { third_party: true, client_type: 'public', resources: [identifier] };
    const client = await world.app(await world.tenant({ resources }), { config });
    const user = await world.user(client);
    const parameters = { scope: 'openid constructor toString', resource: identifier };
    const { browser, page } = await asked(user, client, parameters);
    expect(page.body).toContain('<code>constructor</code>');
    const answer = await browser.submit(page, { answer: 'allow', scope_constructor: 'on', scope_toString: 'on' });
    const { status, body } = await exchanged(answer, client);
    expect([status, body.scope]).toEqual([200, parameters.scope]);
  });

  it('counts from the user who was shown the page', async () => {
    const [first, second] = [await world.user(app), await world.user(app)];
    const { browser, page } = await asked(first);
    // In another tab, another user signs in meanwhile.
    const attempt = page.formAction().replace(/\/consent$/, '');
    await browser.post(`${attempt}/other-account`, { form_token: page.formToken() });
    const signIn = await browser.get(attempt);
    const theirs = await browser.submit(signIn, { email: second.email, password: second.password });
    expect(theirs.body).toContain(second.email);
    const answer = await browser.submit(page, { answer: 'allow', ...ALL });
    expect([heading(answer), answer.body.includes(second.email)]).toEqual(['Allow access?', true]);
    expect(await world.sql('SELECT 1 FROM consents WHERE user_id = $1', [second.id])).toEqual([]);
    expect((await browser.submit(theirs, { answer: 'allow' })).delivered.get('code')).toBeTruthy();
  });

  it('that is denied is access_denied for the app', async () => {
    const user = await world.user(app);
    const { answer, browser } = await answered(user, { answer: 'deny', ...ALL }, app, { state: 'xyz' });
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual(['access_denied', 'xyz']);
    const again = await browser.get(authorizationPath(app, { scope: 'openid', ...PKCE }));
    expect([again.status, heading(again)]).toEqual([200, 'Allow access?']);
    expect(await world.sql('SELECT 1 FROM consents WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('is remembered, and asked for again with more scopes or prompt=consent', async () => {
    const user = await world.user(app);
    const { browser, page } = await asked(user, app, { scope: 'openid email' });
    await browser.submit(page, { answer: 'allow' });
    const again = async (parameters: Record<string, string>) =>
      browser.get(authorizationPath(app, { scope: 'openid email', ...PKCE, ...parameters }));
    expect((await again({})).delivered.get('code')).toBeTruthy();
    expect((await again({ prompt: 'none' })).delivered.get('code')).toBeTruthy();
    expect((await again({ scope: 'openid email roles' })).status).toBe(200);
    expect((await again({ scope: 'openid email roles', prompt: 'none' })).delivered.get('error')).toBe(
      'consent_required',
    );
    const asks = await again({ prompt: 'consent' });
    expect(heading(asks)).toBe('Allow access?');
    expect((await browser.submit(asks, { answer: 'allow' })).delivered.get('code')).toBeTruthy();
  });

  it('ends by suspension, and is asked for again', async () => {
    const user = await world.user(app);
    await tokensOf(user);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect(await world.sql('SELECT 1 FROM consents WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('is needed by a code: one that is taken back meanwhile voids it', async () => {
    const user = await world.user(app);
    const { answer } = await answered(user, { answer: 'allow', ...ALL });
    await world.sql('DELETE FROM consents WHERE user_id = $1', [user.id]);
    expect((await exchanged(answer)).status).toBe(400);
  });

  it('is not passed by a sign-in by JSON, which tells the app nothing about the user', async () => {
    const config = { third_party: true, require_2fa: true, allowed_providers: ['password', 'passkey'] };
    const strict = await world.app(await world.tenant(), { config });
    const user = await world.user(strict);
    const refused = [400, { detail: 'Invalid app_id' }];
    for (const password of [user.password, 'a wrong one']) {
      const answer = await world.login({ ...user, password }, strict.id);
      expect([answer.status, answer.body]).toEqual(refused);
    }
    const options = await world.call('POST', '/auth/passkey/options', { app_id: strict.id });
    expect([options.status, options.body]).toEqual(refused);
    const named = await world.sql('SELECT 1 FROM audit_entries WHERE app_id = $1 AND action LIKE $2', [
      strict.id,
      'user.login%',
    ]);
    expect(named).toEqual([]);
  });

  it('is not passed at a custom scheme, which gets a code', async () => {
    const redirectUri = 'com.example.reader:/cb';
    const client = {
      ...(await world.app(tenant, { config: { third_party: true, redirect_uris: [redirectUri] } })),
      redirectUri,
    };
    const user = await world.user(client);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(
      `/login?${new URLSearchParams({ app_id: client.id, redirect_uri: redirectUri }).toString()}`,
      user.email,
      user.password,
    );
    const end = await browser.submit(page, { answer: 'allow' });
    expect([...end.delivered.keys()]).toEqual(['code']);
  });

  it('is ended for an app by administrators of the tenant alone', async () => {
    const asking = await world.app(tenant, { config: { third_party: true } });
    const server = await world.app(tenant, { service_scopes: ['apps:read', 'apps:write'] });
    const appAdmin = await world.user(asking, { roles: ['admin'] });
    const tenantAdmin = await world.tenantAdmin(tenant);
    const ask = async (token: string, third_party: boolean) =>
      (await world.call('PUT', `/admin/apps/${asking.id}`, { config: { third_party } }, { token })).status;
    const others = [
      await world.serviceToken(server),
      (await world.tokens(appAdmin, world.platformConsoleId)).access_token,
    ];
    for (const token of others) {
      expect(await ask(token, true)).toBe(200);
      expect(await ask(token, false)).toBe(403);
    }
    const browser = await visitConsole(world, appAdmin);
    const tab = `/console/apps/${asking.id}/sign-in`;
    expect((await browser.get(tab)).body).not.toContain('name="third_party"');
    expect(await ask((await world.tokens(tenantAdmin, tenant.consoleAppId)).access_token, false)).toBe(200);
    expect(await ask(others[1]!, true)).toBe(200);
  });

  describe('and what the app has otherwise', () => {
    const introspected = async (client: TestClient, token: string) =>
      (
        await postForm<{ active: boolean; username?: string }>(`${world.baseUrl}/token/introspect`, {
          token,
          client_id: client.id,
          client_secret: client.secret,
        })
      ).body;
    const refreshed = (client: TestClient, refresh_token: string) =>
      world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: client.id });
    const asks = (client: TestClient, third_party: boolean) =>
      world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { third_party } });

    it('refresh tokens from before it was asked for are dead', async () => {
      const client = await world.app(tenant);
      const user = await world.user(client);
      const before = await world.tokens(user, client.id);
      const other = await world.tokens(user, client.id);
      expect((await introspected(client, before.refresh_token)).active).toBe(true);
      await asks(client, true);
      expect((await introspected(client, before.refresh_token)).active).toBe(false);
      expect((await refreshed(client, before.refresh_token)).status).toBe(401);
      // Those of a consent live, and give no more life to what is wider than it.
      const { answer } = await answered(user, { answer: 'allow', scope_email: 'on' }, client);
      const { body } = await redeem<OpenIdTokens>(world, client, answer.delivered.get('code')!, {
        code_verifier: VERIFIER,
      });
      expect((await refreshed(client, body.refresh_token)).status).toBe(200);
      expect((await refreshed(client, other.refresh_token)).status).toBe(401);
    });

    it('sign-ins with single claims from before it was asked for are covered by no consent', async () => {
      const client = await world.app(tenant);
      const user = await world.user(client);
      const claims = JSON.stringify({ userinfo: { email: null }, id_token: { name: null } });
      const signIn = async (parameters: Record<string, string>) => {
        const { page } = await asked(user, client, { scope: 'openid', ...parameters });
        const code = page.delivered.get('code')!;
        return (await redeem<OpenIdTokens>(world, client, code, { code_verifier: VERIFIER })).body.refresh_token;
      };
      const [withClaims, plain] = [await signIn({ claims }), await signIn({})];
      await asks(client, true);
      await answered(user, { answer: 'allow' }, client, { scope: 'openid' });
      expect((await refreshed(client, withClaims)).status).toBe(401);
      expect((await introspected(client, withClaims)).active).toBe(false);
      expect((await refreshed(client, plain)).status).toBe(200);
    });

    it('access tokens from before it was asked for tell nothing more, until it is no longer asked for', async () => {
      const client = await world.app(tenant);
      const user = await world.user(client);
      const { access_token: before } = await world.tokens(user, client.id);
      const told = async (token: string) => [
        (await world.call('GET', '/userinfo', undefined, { token })).status,
        (await introspected(client, token)).active,
      ];
      expect(await told(before)).toEqual([200, true]);
      await asks(client, true);
      expect(await told(before)).toEqual([401, false]);
      // A consent that has less than a sign-in got is none for it.
      const { answer } = await answered(user, { answer: 'allow', scope_email: 'on' }, client);
      const { body } = await redeem<OpenIdTokens>(world, client, answer.delivered.get('code')!, {
        code_verifier: VERIFIER,
      });
      expect([await told(before), await told(body.access_token)]).toEqual([
        [401, false],
        [200, true],
      ]);
      await asks(client, false);
      expect(await told(before)).toEqual([200, true]);
    });

    it('access tokens of its administrators open nothing but /userinfo', async () => {
      const client = await world.app(tenant, { config: { third_party: true } });
      const user = await world.user(client, { roles: ['admin'] });
      const { answer } = await answered(user, { answer: 'allow', ...ALL }, client);
      const { body } = await redeem<OpenIdTokens>(world, client, answer.delivered.get('code')!, {
        code_verifier: VERIFIER,
      });
      const get = async (path: string) =>
        (await world.call('GET', path, undefined, { token: body.access_token })).status;
      expect([await get(`/admin/users?app_id=${client.id}`), await get('/userinfo')]).toEqual([401, 200]);
      await asks(client, false);
      expect(await get(`/admin/users?app_id=${client.id}`)).toBe(200);
    });

    it('hides users from service tokens of the app', async () => {
      const scopesOf = async (id: string) =>
        (await world.asAdmin<{ service_scopes: string[] }>('PUT', `/admin/apps/${id}`, {})).service_scopes;
      const made = await world.app(tenant, { config: { third_party: true } });
      expect(await scopesOf(made.id)).toEqual(['push:send']);
      const client = await world.app(tenant, { service_scopes: ['push:send', 'users:read', 'invites:create'] });
      const token = await world.serviceToken(client);
      const list = async () =>
        (await world.call('GET', `/admin/users?app_id=${client.id}`, undefined, { token })).status;
      expect(await list()).toBe(200);
      await asks(client, true);
      expect(await list()).toBe(403);
      await expect(world.serviceToken(client, 'users:read')).rejects.toThrow(/invalid_scope/);
      const browser = await visitConsole(world, world.admin);
      const tab = await browser.get(`/console/apps/${client.id}/api-access`);
      expect(tab.body).toContain('asks users for consent: users:read, invites:create.');
    });

    it('introspection of a refresh token tells no address that was refused', async () => {
      const client = await world.app(tenant, { config: { third_party: true } });
      const user = await world.user(client);
      const tokenOf = async (fields: Record<string, string>) => {
        const { answer } = await answered(user, { answer: 'allow', ...fields }, client, { prompt: 'consent' });
        const code = answer.delivered.get('code')!;
        return (await redeem<OpenIdTokens>(world, client, code, { code_verifier: VERIFIER })).body.refresh_token;
      };
      const refused = await introspected(client, await tokenOf({ scope_profile: 'on' }));
      expect([refused.active, refused.username]).toEqual([true, undefined]);
      expect((await introspected(client, await tokenOf(ALL))).username).toBe(user.email);
    });
  });

  describe('for a client that has registered itself', () => {
    let client: TestClient;

    beforeAll(async () => {
      client = await selfRegisteredApp(world, tenant, {
        config: { redirect_uris: ['http://127.0.0.1/callback'], device_grant: true },
      });
      client = { ...client, redirectUri: 'http://127.0.0.1:4711/callback' };
      const url = 'https://client.example/metadata.json';
      await world.sql(
        `UPDATE apps SET metadata_url = $2, metadata_expires_at = now() + interval '1 day' WHERE id = $1`,
        [client.id, url],
      );
    });

    it('names it by its host, and warns of what it is', async () => {
      const { page } = await asked(await world.user(own), client);
      expect(page.body).toContain('client.example would like access to your account.');
      expect(page.body).toContain(`${tenant.name} has not checked this app`);
      expect(page.body).toContain('any other program on it can pretend to be the app');
    });

    it('warns by the redirect URI of the request, whatever else is registered', async () => {
      const user = await world.user(own);
      const uris = [
        'http://127.0.0.1/callback',
        'com.example.reader:/cb',
        'https://client.example/cb',
        'https://other.example/cb',
      ];
      const many = await selfRegisteredApp(world, tenant, { config: { redirect_uris: uris } });
      await world.sql(
        `UPDATE apps SET metadata_url = $2, metadata_expires_at = now() + interval '1 day' WHERE id = $1`,
        [many.id, 'https://client.example/many.json'],
      );
      const said = async (redirectUri: string) => {
        const { page } = await asked(user, { ...many, redirectUri });
        return ['any other program on it', 'continue to other.example'].map((words) => page.body.includes(words));
      };
      const all = await Promise.all(uris.map(said));
      expect(all).toEqual([
        [true, false],
        [true, false],
        [false, false],
        [false, true],
      ]);
    });

    it('lets a member of the tenant join with their consent, and is asked for each time', async () => {
      const user = await world.user(own);
      const { browser, answer } = await answered(user, { answer: 'allow', ...ALL }, client);
      expect((await exchanged(answer, client)).status).toBe(200);
      const again = await browser.get(authorizationPath(client, { ...PKCE }));
      expect([again.status, heading(again)]).toEqual([200, 'Allow access?']);
    });

    it('lets no user in who is in no app of the tenant', async () => {
      const user = await world.user(await world.app(await world.tenant()));
      const { page } = await asked(user, client);
      expect(page.body).not.toContain('Allow access?');
      expect(
        await world.sql('SELECT 1 FROM enrollments WHERE app_id = $1 AND user_id = $2', [client.id, user.id]),
      ).toEqual([]);
    });

    it('creates no account', async () => {
      const page = await new HostedBrowser(world.baseUrl).get(authorizationPath(client, PKCE));
      expect(page.status).toBe(200);
      expect(page.body).not.toMatch(/sign_up/);
    });
  });

  describe('of a device', () => {
    const begin = async () =>
      (
        await postForm<{ device_code: string; user_code: string }>(`${world.baseUrl}/auth/device-authorization`, {
          client_id: app.id,
          scope: 'openid email profile',
        })
      ).body;
    const poll = (device_code: string) =>
      postForm<Tokens & Failure & { scope?: string }>(`${world.baseUrl}/auth/token`, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
        client_id: app.id,
      });
    const compare = async (user: TestUser, userCode: string) => {
      const browser = new HostedBrowser(world.baseUrl);
      const typed = await browser.submit(await browser.get('/device'), { user_code: userCode });
      const page = await browser.submit(typed, { email: user.email, password: user.password });
      return { browser, page: await browser.submit(page, { answer: 'allow' }) };
    };

    it('comes after the code is compared, and narrows what it gets', async () => {
      const user = await world.user(app);
      const { device_code, user_code } = await begin();
      const { browser, page } = await compare(user, user_code);
      expect(heading(page)).toBe('Allow access?');
      await browser.submit(page, { answer: 'allow', scope_email: 'on' });
      const { status, body } = await poll(device_code);
      expect([status, body.scope]).toEqual([200, 'openid email']);
    });

    it('is not asked for a device that waits no longer', async () => {
      const user = await world.user(app);
      const { device_code, user_code } = await begin();
      const { browser, page } = await compare(user, user_code);
      await world.sql('DELETE FROM device_authorizations WHERE app_id = $1', [app.id]);
      const answer = await browser.submit(page, { answer: 'allow', scope_email: 'on' });
      expect(answer.body).toContain('This code is no longer valid');
      expect((await poll(device_code)).status).toBe(400);
    });

    it('that is denied is access_denied for the device', async () => {
      const user = await world.user(app);
      const { device_code, user_code } = await begin();
      const { browser, page } = await compare(user, user_code);
      expect((await browser.submit(page, { answer: 'deny' })).body).toContain('Sign-in denied');
      expect((await poll(device_code)).body.error).toBe('access_denied');
    });
  });

  describe('taken back', () => {
    const states = async (client: TestClient, tokens: OpenIdTokens) => {
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client.id };
      return {
        userinfo: (await world.call('GET', '/userinfo', undefined, { token: tokens.access_token })).status,
        verify: (
          await world.call<{ valid: boolean }>('POST', '/token/verify', {
            token: tokens.access_token,
            audience: client.id,
          })
        ).body.valid,
        refresh: (await postForm(`${world.baseUrl}/auth/token`, refresh)).status,
      };
    };

    it('at /account ends the app’s tokens, and is shown there before', async () => {
      const user = await world.user(app);
      const tokens = await tokensOf(user);
      expect(await states(app, { ...tokens, refresh_token: 'x' })).toMatchObject({ userinfo: 200, verify: true });
      const browser = await visitAccount(world, user);
      const page = await browser.get('/account');
      expect(contentWords(page)).toContain(
        ': your e-mail address, and whether it is confirmed; your name and e-mail address',
      );
      await browser.post(`/account/apps/${app.id}/consent/revoke`, { form_token: page.formToken() });
      expect(await states(app, tokens)).toEqual({ userinfo: 401, verify: false, refresh: 400 });
      const entries = await world.sql<{ action: string }>(
        `SELECT action FROM audit_entries WHERE user_id = $1 AND action LIKE 'consent.%' ORDER BY created_at`,
        [user.id],
      );
      expect(entries.map(({ action }) => action)).toEqual(['consent.given', 'consent.revoked']);
      expect(heading((await asked(user)).page)).toBe('Allow access?');
    });

    it('makes the token inactive for introspection', async () => {
      const server = await world.app(tenant, { config: { third_party: true, client_type: 'confidential' } });
      const user = await world.user(server);
      const { answer } = await answered(user, { answer: 'allow', ...ALL }, server);
      const { body } = await redeem<OpenIdTokens>(world, server, answer.delivered.get('code')!, {
        code_verifier: VERIFIER,
      });
      const active = async () =>
        (
          await postForm<{ active: boolean }>(`${world.baseUrl}/token/introspect`, {
            token: body.access_token,
            client_id: server.id,
            client_secret: server.secret,
          })
        ).body.active;
      expect(await active()).toBe(true);
      const browser = await visitAccount(world, user);
      const { formToken } = { formToken: (await browser.get('/account')).formToken() };
      await browser.post(`/account/apps/${server.id}/consent/revoke`, { form_token: formToken });
      expect(await active()).toBe(false);
    });

    it('by the admin API ends the app’s tokens, and is listed there before', async () => {
      const user = await world.user(app);
      const tokens = await tokensOf(user);
      const path = `/admin/users/${user.id}/consents`;
      const listed = await world.asAdmin<object[]>('GET', path);
      expect(listed).toEqual([
        {
          ...{ app_id: app.id, app_name: expect.any(String), resource: null, granted_at: expect.any(String) },
          client_hosts: [],
          scopes: expect.arrayContaining(['openid', 'email', 'profile']),
        },
      ]);
      const revoke = (appId: string) =>
        world.call('DELETE', `${path}/${appId}`, undefined, { token: world.admin.token });
      expect((await revoke(app.id)).status).toBe(200);
      expect(await states(app, tokens)).toEqual({ userinfo: 401, verify: false, refresh: 400 });
      expect(await world.asAdmin('GET', path)).toEqual([]);
      expect((await revoke(app.id)).body).toEqual({ detail: 'Consent not found' });
    });

    it('waits for the membership before it touches the consent, as a suspension does', async () => {
      const user = await world.user(app);
      await tokensOf(user);
      const browser = await visitAccount(world, user);
      const form_token = (await browser.get('/account')).formToken();
      const suspension = new Client({ connectionString: service.settings.databaseUrl! });
      await suspension.connect();
      try {
        await suspension.query('BEGIN');
        await suspension.query('SELECT 1 FROM enrollments WHERE user_id = $1 FOR UPDATE', [user.id]);
        let isAnswered = false;
        const answer = browser
          .post(`/account/apps/${app.id}/consent/revoke`, { form_token })
          .finally(() => (isAnswered = true));
        await eventually(
          'taking it back waits for the membership',
          async () => isAnswered || (await isBlocking(suspension)),
        );
        const consent = 'SELECT 1 FROM consents WHERE user_id = $1 FOR UPDATE NOWAIT';
        expect((await suspension.query(consent, [user.id])).rowCount).toBe(1);
        await suspension.query('COMMIT');
        expect((await answer).status).toBe(303);
      } finally {
        await suspension.end();
      }
    });

    it('by the owner of the mailbox at the first proof of it, and is asked for again', async () => {
      const [user, verified] = [await world.user(app, { email_verified: false }), await world.user(app)];
      const { answer } = await answered(user, { answer: 'allow', ...ALL });
      const unused = answer.delivered.get('code');
      expect(unused).toBeTruthy();
      await tokensOf(verified);
      for (const { id, email } of [user, verified]) {
        const token = await mailedLink(world, { id, email, password: '' }, app, 'verify_email');
        expect((await world.call('GET', `/auth/verify-email?token=${token}`)).status).toBe(200);
      }
      expect(await world.sql('SELECT user_id FROM consents WHERE user_id = ANY($1)', [[user.id, verified.id]])).toEqual(
        [{ user_id: verified.id }],
      );
      expect((await exchanged(answer)).status).toBe(400);
      const [entry] = await world.sql(
        "SELECT app_id, tenant_id, metadata FROM audit_entries WHERE user_id = $1 AND action = 'consent.revoked'",
        [user.id],
      );
      expect(entry).toEqual({ app_id: app.id, tenant_id: tenant.id, metadata: { reason: 'mailbox_proof' } });
    });

    it('is not given any more by a user who was signed in before the account changed hands', async () => {
      const user = await world.user(app);
      const { browser, page } = await asked(user);
      const change = new Client({ connectionString: service.settings.databaseUrl! });
      await change.connect();
      try {
        await change.query('BEGIN');
        await change.query('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [user.id]);
        let isAnswered = false;
        const answer = browser.submit(page, { answer: 'allow', ...ALL }).finally(() => (isAnswered = true));
        await eventually('the answer waits for the account', async () => isAnswered || (await isBlocking(change)));
        await change.query('COMMIT');
        const asksAgain = await answer;
        expect([asksAgain.status, asksAgain.location]).toEqual([200, null]);
      } finally {
        await change.end();
      }
      expect(await world.sql('SELECT 1 FROM consents WHERE user_id = $1', [user.id])).toEqual([]);
    });

    it('is 404 where there is none', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      const form_token = (await browser.get('/account')).formToken();
      expect((await browser.post(`/account/apps/${app.id}/consent/revoke`, { form_token })).status).toBe(404);
    });
  });

  it('is in the file of one’s own data', async () => {
    const user = await world.user(app);
    await tokensOf(user);
    const browser = await visitAccount(world, user);
    const page = await browser.get('/account');
    const file = await browser.post('/account/export', { form_token: page.formToken() });
    expect((JSON.parse(file.body) as { consents: object[] }).consents).toEqual([
      expect.objectContaining({ app_id: app.id, scopes: ['openid', 'email', 'profile'], resource: null }),
    ]);
  });
});
