import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { Client } from 'pg';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { codeFrom, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { isBlocking } from '../../support/row-locks.js';
import { ScriptedServer } from '../../support/servers/scripted-server.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const PATH = '/backchannel';
const ARTICLE = 'docs/help/sign-in/sign-out.md';

// A separate database: another service on the same one would send these notices with its own issuer.
describe('Back-channel logout', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let server: ScriptedServer;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    [database, server] = await Promise.all([freshDatabase(), ScriptedServer.start()]);
    service = await startTestApp({ settings: { databaseUrl: database.url, allowPrivateNetworkTargets: true } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { backchannel_logout_uri: `${server.origin}${PATH}` } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([database.drop(), server.close()]);
  });

  beforeEach(async () => {
    await quietOutbox(world);
    server.requests.length = 0;
    server.on(PATH, () => ({ status: 200 }));
    user = await world.user(app);
  });

  const received = () => server.to(PATH).map(({ form }) => form.get('logout_token')!);
  const firstToken = () => eventually('a logout token', () => received()[0]);
  const logout = (browser: HostedBrowser, hint: string) =>
    browser.get(`/logout?${new URLSearchParams({ id_token_hint: hint }).toString()}`);
  const sid = (token: string) => readJwt(token).payload['sid'];
  const verify = async (token: string, audience = app.id): Promise<JWTPayload> => {
    const keys = (await world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;
    const expected = { issuer: world.baseUrl, audience, algorithms: ['RS256'], typ: 'logout+jwt' };
    return (await jwtVerify(token, createLocalJWKSet(keys), expected)).payload;
  };
  const dead = () =>
    world.sql<{ last_error: string }>(
      `SELECT last_error FROM outbox_messages WHERE dead_at IS NOT NULL ORDER BY dead_at DESC`,
    );

  it('posts a form with a logout token of the session to the app (sections 2.4 and 2.5)', async () => {
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    const claims = await verify(await firstToken());
    expect(claims).toEqual({
      iss: world.baseUrl,
      aud: app.id,
      sub: user.id,
      sid: sid(tokens.id_token),
      iat: expect.any(Number),
      exp: claims.iat! + 120,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      token_use: 'logout',
    });
    const [request] = server.to(PATH);
    expect([request!.method, request!.headers['content-type'], [...request!.form.keys()]]).toEqual([
      'POST',
      'application/x-www-form-urlencoded',
      ['logout_token'],
    ]);
  });

  it('sends a token that the code of the help article accepts, which refuses an ID token', async () => {
    const [, code] = /^```js\nimport [^\n]+ from 'jose';\n(.*?)^```$/ms.exec(readFileSync(ARTICLE, 'utf8'))!;
    const filled = code!.replaceAll('{{base_url}}', world.baseUrl).replaceAll('{{app_id}}', app.id);
    const body = `${filled.replace('export ', '')} return readLogoutToken;`;
    const make = runInThisContext(`(createRemoteJWKSet, jwtVerify, URL) => {${body}}`) as (
      ...imports: unknown[]
    ) => (token: string) => Promise<JWTPayload>;
    const readLogoutToken = make(createRemoteJWKSet, jwtVerify, URL);
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    expect(await readLogoutToken(await firstToken())).toMatchObject({ sub: user.id, sid: sid(tokens.id_token) });
    await expect(readLogoutToken(tokens.id_token)).rejects.toThrow('typ');
  });

  it('is announced in the discovery document', async () => {
    const { body } = await world.call('GET', '/.well-known/openid-configuration');
    expect(body).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
  });

  it('uses one sid in all ID tokens of a browser, also after a second sign-in there', async () => {
    const first = await openIdSignIn(world, app, user);
    const second = await openIdSignIn(world, app, user, first.browser, { prompt: 'login' });
    const elsewhere = await openIdSignIn(world, app, user);
    const refreshed = await world.call<{ id_token: string }>('POST', '/token/refresh', {
      refresh_token: second.tokens.refresh_token,
      app_id: app.id,
    });
    const sids = [first.tokens, second.tokens, refreshed.body].map((tokens) => sid(tokens.id_token));
    expect(new Set(sids).size).toBe(1);
    expect(sids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(sid(elsewhere.tokens.id_token)).not.toBe(sids[0]);
  });

  it('notifies every app that the user signed in to from this browser, and no others', async () => {
    const enter = async (path: string) => {
      const each = await world.app(tenant, { config: { backchannel_logout_uri: `${server.origin}${path}` } });
      server.on(path, () => ({ status: 204 }));
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: each.id, roles: ['user'] });
      return each;
    };
    const [beside, silent] = [await enter('/beside'), await enter('/silent')];
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await openIdSignIn(world, beside, user, browser);
    await openIdSignIn(world, silent, user);
    await logout(browser, tokens.id_token);
    await quietOutbox(world);
    expect(server.requests.map(({ path }) => path).sort()).toEqual([PATH, '/beside']);
    const [request] = server.to('/beside');
    expect((await verify(request!.form.get('logout_token')!, beside.id)).sid).toBe(sid(tokens.id_token));
  });

  it.each([
    ['the account page', '/account', '/account/sign-out'],
    ['the console', '/console/logout', '/console/logout'],
  ])('notifies the app when the user signs out at %s', async (_, page, action) => {
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const { browser } = await openIdSignIn(world, app, user);
    const form_token = (await browser.get(page)).formToken();
    expect((await browser.post(action, { form_token })).status).toBe(303);
    expect((await verify(await firstToken())).sub).toBe(user.id);
  });

  it('notifies the app when the user signs out another browser or all others', async () => {
    const here = new HostedBrowser(world.baseUrl);
    await here.signIn('/account/sign-in', user.email, user.password);
    const [one, two] = [await openIdSignIn(world, app, user), await openIdSignIn(world, app, user)];
    const form_token = (await here.get('/account')).formToken();
    const [row] = await world.sql<{ id: string }>(
      `SELECT id FROM sso_sessions WHERE user_id = $1 AND coalesce(sid, id) = $2`,
      [user.id, sid(one.tokens.id_token)],
    );
    await here.post(`/account/sessions/${row!.id}/end`, { form_token });
    expect((await verify(await firstToken())).sid).toBe(sid(one.tokens.id_token));
    await here.post('/account/sessions/end-others', { form_token });
    const [, next] = await eventually('a second token', () => received().length === 2 && received());
    expect((await verify(next!)).sid).toBe(sid(two.tokens.id_token));
  });

  describe('of a sign-in that ends alone', () => {
    const atAccount = async () => {
      const browser = new HostedBrowser(world.baseUrl);
      await browser.signIn('/account/sign-in', user.email, user.password);
      return browser;
    };
    const end = async (browser: HostedBrowser, path: string) => {
      const form_token = (await browser.get('/account')).formToken();
      expect((await browser.post(path, { form_token })).status).toBe(303);
    };
    const familyOf = async ({ id_token }: { id_token: string }) => {
      const found = await world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE sid = $1', [sid(id_token)]);
      return found[0]!.id;
    };

    it('notifies the app when the user ends it on the account page', async () => {
      const [{ tokens }] = [await openIdSignIn(world, app, user), await openIdSignIn(world, app, user)];
      await end(await atAccount(), `/account/apps/${await familyOf(tokens)}/end`);
      await quietOutbox(world);
      expect(received().map(sid)).toEqual([sid(tokens.id_token)]);
    });

    it('notifies the app when all others end and the browser session is already over', async () => {
      const { tokens } = await openIdSignIn(world, app, user);
      await world.sql('UPDATE sso_sessions SET expires_at = now() WHERE user_id = $1', [user.id]);
      await end(await atAccount(), '/account/sessions/end-others');
      await quietOutbox(world);
      expect(received().map(sid)).toEqual([sid(tokens.id_token)]);
    });

    it('notifies the app only when the last of several in one browser session ends', async () => {
      const { browser, tokens } = await openIdSignIn(world, app, user);
      const first = await familyOf(tokens);
      await openIdSignIn(world, app, user, browser);
      const families = await world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE sid = $1 AND id <> $2', [
        sid(tokens.id_token),
        first,
      ]);
      const here = await atAccount();
      await end(here, `/account/apps/${first}/end`);
      await quietOutbox(world);
      expect(received()).toHaveLength(0);
      await end(here, `/account/apps/${families[0]!.id}/end`);
      await quietOutbox(world);
      expect(received().map(sid)).toEqual([sid(tokens.id_token)]);
    });

    it('notifies the app although an older sign-in there is left, which a new password has ended', async () => {
      await openIdSignIn(world, app, user);
      await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: user.password });
      await quietOutbox(world);
      const { tokens } = await openIdSignIn(world, app, user);
      const family = await familyOf(tokens);
      await world.sql('UPDATE refresh_families SET sid = NULL WHERE id = $1', [family]);
      server.requests.length = 0;
      await end(await atAccount(), `/account/apps/${family}/end`);
      await quietOutbox(world);
      expect(received()).toHaveLength(1);
    });

    // Only a token without a sid can name it, and that means all sessions of the user at the app.
    it.each([
      ['notifies the app if it began without a browser session', false],
      ['does not notify the app if it began without a browser session and another sign-in at the app goes on', true],
    ])('%s', async (_, goesOn) => {
      const { tokens } = await openIdSignIn(world, app, user);
      const family = await familyOf(tokens);
      await world.sql('UPDATE refresh_families SET sid = NULL WHERE id = $1', [family]);
      const here = await atAccount();
      if (goesOn) await openIdSignIn(world, app, user, here);
      for (const path of [`/account/apps/${family}/end`, '/account/sessions/end-others']) {
        await world.sql('UPDATE refresh_families SET revoked_at = NULL, revoked_for = NULL WHERE id = $1', [family]);
        server.requests.length = 0;
        await end(here, path);
        await quietOutbox(world);
        expect(received().map((token) => 'sid' in readJwt(token).payload)).toEqual(goesOn ? [] : [false]);
      }
    });
  });

  it('notifies the app when another user signs in with the same browser', async () => {
    const { browser, tokens } = await openIdSignIn(world, app, user);
    const other = await world.user(app);
    await openIdSignIn(world, app, other, browser, { prompt: 'login' });
    expect(await verify(await firstToken())).toMatchObject({ sub: user.id, sid: sid(tokens.id_token) });
  });

  // Section 2.4: without a sid the token covers all sessions of this user at the app.
  it.each([
    ['is suspended', () => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id })],
    ['is removed from the app', () => world.asAdmin('DELETE', `/admin/users/${user.id}/apps/${app.id}`)],
    ['is deleted', () => world.asAdmin('DELETE', `/admin/users/${user.id}`)],
    [
      'gets a new password from an administrator',
      () => world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'quite another phrase' }),
    ],
    [
      'changes their own password',
      async () => {
        const { access_token: token } = await world.tokens(user, app.id);
        const body = { current_password: user.password, new_password: 'quite another phrase' };
        return world.call('PUT', '/admin/me/password', body, { token });
      },
    ],
  ])('notifies the app when the user %s', async (_, act) => {
    await openIdSignIn(world, app, user);
    await act();
    const claims = await verify(await firstToken());
    expect([claims.sub, claims.aud, 'sid' in claims]).toEqual([user.id, app.id, false]);
    await quietOutbox(world);
    expect(received()).toHaveLength(1);
  });

  it('notifies an app that exchanges its code during the sign-out', async () => {
    const other = await world.app(tenant);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: ['user'] });
    const { browser, tokens } = await openIdSignIn(world, other, user);
    await codeFrom(browser, app, user);
    const exchange = new Client({ connectionString: database.url });
    await exchange.connect();
    try {
      await exchange.query('BEGIN');
      await exchange.query('SELECT 1 FROM authorization_codes WHERE user_id = $1 FOR UPDATE', [user.id]);
      await exchange.query(
        `INSERT INTO refresh_families SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'app_id', $2::text))).*
         FROM refresh_families f WHERE user_id = $1`,
        [user.id, app.id],
      );
      const signedOut = logout(browser, tokens.id_token);
      await eventually('the sign-out waits for the exchange', () => isBlocking(exchange));
      await exchange.query('COMMIT');
      await signedOut;
    } finally {
      await exchange.end();
    }
    expect(sid(await firstToken())).toBe(sid(tokens.id_token));
  });

  it('does not notify an app about sessions that had already ended', async () => {
    await openIdSignIn(world, app, user);
    const change = (new_password: string) => world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password });
    await change('quite another phrase');
    await firstToken();
    await change('and a third phrase');
    await quietOutbox(world);
    expect(received()).toHaveLength(1);
  });

  it('retries with a fresh logout token while the app is unavailable', async () => {
    let away = 2;
    server.on(PATH, () => (away-- > 0 ? { status: 503, headers: { 'Retry-After': '1' } } : { status: 200 }));
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    const tries = await eventually('three tries', () => received().length === 3 && received());
    await quietOutbox(world);
    expect(new Set(tries.map((token) => readJwt(token).payload['jti'])).size).toBe(3);
    expect(new Set(tries.map(sid))).toEqual(new Set([sid(tokens.id_token)]));
  });

  it.each([400, 404, 302])('gives up after the answer %d from the app', async (status) => {
    server.on(PATH, () => ({ status, headers: { Location: `${server.origin}/elsewhere` } }));
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    await firstToken();
    await quietOutbox(world);
    expect(server.requests).toHaveLength(1);
    expect((await dead())[0]!.last_error).toContain(`The app answered ${status}`);
  });

  it('sends nothing to an inactive app or to an app that has removed its backchannel_logout_uri', async () => {
    const gone = await world.app(tenant, { config: { backchannel_logout_uri: `${server.origin}${PATH}` } });
    const someone = await world.user(gone);
    const { browser, tokens } = await openIdSignIn(world, gone, someone);
    await world.asAdmin('PUT', `/admin/apps/${gone.id}`, { config: { backchannel_logout_uri: null } });
    await logout(browser, tokens.id_token);
    const again = await openIdSignIn(world, gone, someone);
    await world.asAdmin('PUT', `/admin/apps/${gone.id}`, {
      is_active: false,
      config: { backchannel_logout_uri: `${server.origin}${PATH}` },
    });
    await logout(again.browser, again.tokens.id_token);
    await quietOutbox(world);
    expect(server.requests).toEqual([]);
  });

  it('sends nothing if the sign-out itself fails', async () => {
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await world.sql(`ALTER TABLE audit_entries ADD CONSTRAINT no_more CHECK (action <> 'session.revoked') NOT VALID`);
    try {
      expect((await logout(browser, tokens.id_token)).status).toBe(500);
    } finally {
      await world.sql('ALTER TABLE audit_entries DROP CONSTRAINT no_more');
    }
    await quietOutbox(world);
    expect(server.requests).toEqual([]);
  });

  it('sends a logout token that other endpoints reject', async () => {
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    const token = await firstToken();
    expect((await world.call('POST', '/token/verify', { token, audience: app.id })).body).toEqual({
      valid: false,
      error: 'Invalid token',
    });
    const again = await openIdSignIn(world, app, user);
    expect((await logout(again.browser, token)).body).toContain('Sign out?');
  });

  it('omits the sid from ID tokens if the authorization code has none', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    const code = await codeFrom(browser, app, user);
    await world.sql('UPDATE authorization_codes SET sid = NULL WHERE user_id = $1', [user.id]);
    expect(readJwt((await redeem(world, app, code)).body.id_token).payload).not.toHaveProperty('sid');
  });

  describe('without private network targets', () => {
    let own: TestDatabase;
    let guarded: TestApp;
    let outside: World;

    beforeAll(async () => {
      own = await freshDatabase();
      guarded = await startTestApp({ settings: { databaseUrl: own.url, allowPrivateNetworkTargets: false } });
      outside = await World.open(guarded.baseUrl, own.url);
    });

    afterAll(async () => {
      await outside.close();
      await guarded.close();
      await own.drop();
    });

    it.each([
      'http://shop.example/backchannel',
      'https://127.0.0.1/backchannel',
      'https://localhost/backchannel',
      'https://169.254.169.254/latest',
      'https://[::1]/backchannel',
      'https://user:secret@shop.example/',
      'https://shop.example/#x',
      'https://shop.example:22/',
      'javascript:alert(1)',
      'backchannel',
      '',
    ])('returns 422 for the backchannel_logout_uri "%s"', async (backchannel_logout_uri) => {
      const fault = { loc: ['body', 'config', 'backchannel_logout_uri'], type: 'value_error' };
      const options = { token: outside.admin.token };
      const body = { name: 'x', tenant_id: (await outside.tenant()).id, bundle_id: `com.example.x${Date.now()}` };
      const config = { backchannel_logout_uri };
      const made = await outside.call('POST', '/admin/apps', { ...body, config }, options);
      expect([made.status, made.body['detail']]).toEqual([422, [expect.objectContaining(fault)]]);
      const client = await outside.app(await outside.tenant());
      const changed = await outside.call('PUT', `/admin/apps/${client.id}`, { config }, options);
      expect([changed.status, changed.body['detail']]).toEqual([422, [expect.objectContaining(fault)]]);
    });

    it('makes no request to a private address stored in the database', async () => {
      const client = await outside.app(await outside.tenant());
      await outside.sql(
        `UPDATE apps SET config = config || jsonb_build_object('backchannel_logout_uri', $2::text) WHERE id = $1`,
        [client.id, `${server.origin}${PATH}`],
      );
      const { browser, tokens } = await openIdSignIn(outside, client, await outside.user(client));
      await logout(browser, tokens.id_token);
      const [given] = await eventually('the notice was given up', async () => {
        const rows = await outside.sql<{ last_error: string }>(
          `SELECT last_error FROM outbox_messages WHERE dead_at IS NOT NULL AND job = 'tokens.logout_notice'
             AND payload ->> 'appId' = $1`,
          [client.id],
        );
        return rows.length > 0 && rows;
      });
      expect(given!.last_error).toContain('https');
      expect(server.requests).toEqual([]);
    });
  });

  it('reaches an app while receivers of another tenant hang, however many they are', async () => {
    const elsewhere = await world.tenant();
    server.on('/tarpit', () => 'hang');
    for (let apps = 0; apps < 3; apps++) {
      const config = { backchannel_logout_uri: `${server.origin}/tarpit` };
      const tarpit = await world.app(elsewhere, { config });
      const path = `/admin/users/${(await world.user(tarpit)).id}`;
      for (let n = 0; n < 4; n++) {
        await world.asAdmin('POST', `${path}/suspend`, { app_id: tarpit.id });
        await world.asAdmin('PUT', `${path}/apps/${tarpit.id}/reactivate`);
      }
    }
    await eventually('all places of the group hang', () => server.to('/tarpit').length === 5);
    const { browser, tokens } = await openIdSignIn(world, app, user);
    await logout(browser, tokens.id_token);
    await verify(await firstToken());
    expect(server.to('/tarpit')).toHaveLength(5);
    // Within the tenant, its apps take turns.
    const groups = await world.sql<{ apps: number }>(
      `SELECT count(DISTINCT group_key)::int AS apps FROM outbox_messages
       WHERE queue = 'logout' AND group_key = $1 || '/' || (payload ->> 'appId') AND done_at IS NULL`,
      [elsewhere.id],
    );
    expect(groups).toEqual([{ apps: 3 }]);
    await world.sql(`UPDATE outbox_messages SET dead_at = now() WHERE group_key LIKE $1 || '/%' AND done_at IS NULL`, [
      elsewhere.id,
    ]);
  });

  it('returns 403 for a change of a Console app’s backchannel_logout_uri', async () => {
    const admin = await world.tenantAdmin(tenant);
    const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
    const config = { backchannel_logout_uri: 'https://evil.example/' };
    const answer = await world.call('PUT', `/admin/apps/${tenant.consoleAppId}`, { config }, { token });
    expect(answer.status).toBe(403);
  });
});
