import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { authorizationPath, type OpenIdTokens, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const OF_THE_USER = ['name', 'preferred_username', 'updated_at', 'email', 'email_verified', 'roles'];

// OpenID Connect Core 5.5.
describe('Parameter claims=', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  let other: TestUser;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    user = await world.user(app);
    other = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const asked = (claims: unknown) => ({ claims: typeof claims === 'string' ? claims : JSON.stringify(claims) });
  const signIn = async (claims: unknown, more: Record<string, string> = {}) =>
    (await openIdSignIn(world, app, user, undefined, { ...asked(claims), ...more })).tokens;
  const told = (claims: Record<string, unknown>) => OF_THE_USER.filter((name) => name in claims).sort();
  const inIdToken = ({ id_token }: OpenIdTokens) => told(readJwt(id_token).payload);
  const atUserinfo = async ({ access_token: token }: OpenIdTokens) =>
    told((await world.call('GET', '/userinfo', undefined, { token })).body);
  const refresh = async ({ refresh_token }: OpenIdTokens, more: Record<string, string> = {}) => {
    const fields = { grant_type: 'refresh_token', refresh_token, ...more };
    return (await postForm<OpenIdTokens>(`${world.baseUrl}/auth/token`, fields, basic(app.id, app.secret))).body;
  };
  const errorOf = async (
    claims: unknown,
    more: Record<string, string> = {},
    browser = new HostedBrowser(world.baseUrl),
  ) => {
    const answer = await browser.get(authorizationPath(app, { ...asked(claims), state: 'kept', ...more }));
    expect([answer.status, answer.delivered.get('state')]).toEqual([302, 'kept']);
    return answer.delivered.get('error');
  };

  it('adds each claim only where it was requested', async () => {
    const tokens = await signIn({ id_token: { email: null, roles: { essential: true } }, userinfo: { name: null } });
    expect([inIdToken(tokens), await atUserinfo(tokens)]).toEqual([['email', 'roles'], ['name']]);
    expect(readJwt(tokens.id_token).payload).toMatchObject({ email: user.email, roles: ['user'] });
    expect(tokens.scope).toBe('openid');
  });

  it('adds to the claims of the scopes', async () => {
    const tokens = await signIn({ id_token: { name: null } }, { scope: 'openid email' });
    expect(inIdToken(tokens)).toEqual(['email', 'email_verified', 'name']);
    expect(await atUserinfo(tokens)).toEqual(['email', 'email_verified']);
  });

  it('applies to every refresh of the sign-in', async () => {
    const first = await signIn({ id_token: { email: null }, userinfo: { name: null } });
    const second = await refresh(first);
    const third = await refresh(second);
    for (const tokens of [second, third])
      expect([inIdToken(tokens), await atUserinfo(tokens)]).toEqual([['email'], ['name']]);
  });

  it('adds nothing to a token that was reduced to fewer scopes', async () => {
    const first = await signIn({ id_token: { name: null }, userinfo: { name: null } }, { scope: 'openid email' });
    const narrowed = await refresh(first, { scope: 'openid' });
    expect([inIdToken(narrowed), await atUserinfo(narrowed)]).toEqual([[], []]);
  });

  it('adds a claim with values only if one of them is true', async () => {
    const { email } = user;
    const tokens = await signIn({
      id_token: {
        email: { value: email },
        name: { values: ['Somebody', 'Ada Lovelace'] },
        roles: { value: ['admin'] },
      },
      userinfo: { email: { essential: true, value: 'other@example.com' }, email_verified: { values: [] } },
    });
    expect([inIdToken(tokens), await atUserinfo(tokens)]).toEqual([['email', 'name'], []]);
  });

  it('ignores unknown claims and members, and claims that every ID token has', async () => {
    const tokens = await signIn({
      verified_claims: { any: 'thing' },
      id_token: { picture: { essential: true }, auth_time: { essential: true }, acr: { essential: true } },
      userinfo: { password_hash: null, is_platform_admin: { value: true }, 'name#ja': { language: 'ja' } },
    });
    expect([inIdToken(tokens), await atUserinfo(tokens)]).toEqual([[], []]);
    expect(readJwt(tokens.id_token).payload['auth_time']).toEqual(expect.any(Number));
  });

  it('has no effect without scope openid', async () => {
    const tokens = await signIn({ userinfo: { name: null }, id_token: { name: null } }, { scope: 'email' });
    expect([tokens.id_token, await atUserinfo(tokens)]).toEqual([undefined, ['email', 'email_verified']]);
  });

  it('returns current values, and roles of this app only', async () => {
    const member = await world.user(app, { roles: ['admin'] });
    const { tokens } = await openIdSignIn(world, app, member, undefined, asked({ userinfo: { roles: null } }));
    const userinfo = async () => (await world.call('GET', '/userinfo', undefined, { token: tokens.access_token })).body;
    expect((await userinfo())['roles']).toEqual(['user', 'admin']);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: member.id, app_id: app.id, roles: ['user'] });
    expect((await userinfo())['roles']).toEqual(['user']);
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a text', '"name"'],
    ['null', 'null'],
    ['a member that is a list', '{"userinfo":[]}'],
    ['a member that is null', '{"id_token":null}'],
    ['a claim that is true', '{"id_token":{"email":true}}'],
    ['essential that is a text', '{"id_token":{"email":{"essential":"true"}}}'],
    ['values that are no list', '{"id_token":{"email":{"values":"x"}}}'],
    ['a sub that is an object', '{"userinfo":{"sub":{"value":{"toString":null}}}}'],
    ['a list of subs with a number', '{"id_token":{"sub":{"values":["x",1]}}}'],
    ['a NUL', '{"id_token":{"email":{"value":"\\u0000"}}}'],
    ['__proto__', '{"id_token":{"__proto__":{"essential":true}}}'],
    ['5,000 characters', `{"id_token":{"${'x'.repeat(5_000)}":null}}`],
    ['lists 2,000 deep', `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`],
  ])('returns invalid_request to the app if it is %s', async (_, text) => {
    expect(await errorOf(text)).toBe('invalid_request');
  });

  it('is refused in a pushed request, too, if sub is no text', async () => {
    const request = {
      client_id: app.id,
      client_secret: app.secret,
      response_type: 'code',
      redirect_uri: app.redirectUri,
      claims: '{"userinfo":{"sub":{"value":{"toString":null}}}}',
    };
    const answer = await postForm<Failure>(`${world.baseUrl}/auth/par`, request);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it('returns invalid_request if it is repeated, and can be sent in a form too', async () => {
    const twice = `${authorizationPath(app, asked({}))}&claims=%7B%7D`;
    expect((await new HostedBrowser(world.baseUrl).get(twice)).delivered.get('error')).toBe('invalid_request');
    const query = new URL(authorizationPath(app, asked('{')), world.baseUrl).searchParams;
    const answer = await new HostedBrowser(world.baseUrl).post('/login', Object.fromEntries(query));
    expect(answer.delivered.get('error')).toBe('invalid_request');
  });

  it('makes the sign-in fail if acr must have a value that no sign-in here has', async () => {
    for (const acr of [
      { essential: true, values: ['urn:mace:incommon:iap:silver'] },
      { essential: true, value: '2' },
    ])
      expect(await errorOf({ id_token: { acr } })).toBe('unmet_authentication_requirements');
    await signIn({ id_token: { acr: { values: ['2'] } } });
  });

  it('with sub lets no other user return, neither by session nor with credentials', async () => {
    const { browser } = await openIdSignIn(world, app, user);
    const prompt = { prompt: 'none' };
    for (const place of ['id_token', 'userinfo']) {
      const meant = (sub: object) => ({ [place]: { sub } });
      expect(await errorOf(meant({ value: other.id }), prompt, browser)).toBe('login_required');
      expect(await errorOf(meant({ essential: true, values: [other.id, 'x'] }), prompt, browser)).toBe(
        'login_required',
      );
      for (const sub of [{ value: user.id }, { values: [other.id, user.id] }, { essential: true }]) {
        const path = authorizationPath(app, { ...asked(meant(sub)), ...prompt });
        const code = (await browser.get(path)).delivered.get('code');
        expect(readJwt((await redeem(world, app, code!)).body.id_token).payload['sub']).toBe(user.id);
      }
    }
    const path = authorizationPath(app, asked({ id_token: { sub: { value: other.id } } }));
    const wrong = await new HostedBrowser(world.baseUrl).signIn(path, user.email, user.password);
    expect(wrong.delivered.get('error')).toBe('login_required');
    const right = await new HostedBrowser(world.baseUrl).signIn(path, other.email, other.password);
    expect(right.delivered.get('code')).toBeTruthy();
  });

  it('with sub and another user’s ID token allows no user', async () => {
    const { browser, tokens } = await openIdSignIn(world, app, user);
    const hint = { prompt: 'none', id_token_hint: tokens.id_token };
    expect(await errorOf({ id_token: { sub: { value: other.id } } }, hint, browser)).toBe('login_required');
    const path = authorizationPath(app, { ...asked({ id_token: { sub: { value: user.id } } }), ...hint });
    expect((await browser.get(path)).delivered.get('code')).toBeTruthy();
  });

  it('is explained on the consent page', async () => {
    const path = authorizationPath(app, { ...asked({ userinfo: { email: null } }), prompt: 'consent' });
    const page = await new HostedBrowser(world.baseUrl).signIn(path, user.email, user.password);
    expect(page.body).toContain('your e-mail address, and whether it is confirmed');
    expect(page.body).not.toContain('your roles there');
  });

  it('is listed in discovery', async () => {
    const { body } = await world.call('GET', '/.well-known/openid-configuration');
    expect(body['claims_parameter_supported']).toBe(true);
    for (const name of (body['claims_supported'] as string[]).filter((each) => OF_THE_USER.includes(each)))
      expect(inIdToken(await signIn({ id_token: { [name]: null } }))).toEqual([name]);
  });
});
