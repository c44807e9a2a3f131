import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { Client } from 'pg';
import { TokenSigner } from '../../../src/tokens/jwt/token-signer.js';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { visitAccount, wordsOf } from '../../support/account-visitor.js';
import { visitConsole } from '../../support/console-visitor.js';
import { type DpopKeyPair, newDpopKey, newProof } from '../../support/dpop.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { authorizationPath, type OpenIdTokens, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { isBlocking } from '../../support/row-locks.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { selfRegisteredApp } from '../../support/self-registered-app.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const GATEWAY = 'https://gateway.exchange.example/api';
const ORDERS = 'https://orders.exchange.example/api';
const STOCK = 'urn:exchange:stock';
/** The tenant has it, the gateway does not name it. */
const PAYROLL = 'https://payroll.exchange.example/api';
const SCOPE = 'openid email orders:read orders:write stock:read';
const resource = (identifier: string, scopes: string[], token_lifetime_minutes: number) => ({
  identifier,
  name: `API ${identifier}`,
  scopes,
  token_lifetime_minutes,
});
const RESOURCES = [
  resource(GATEWAY, ['orders:read', 'orders:write', 'stock:read'], 30),
  resource(ORDERS, ['orders:read', 'orders:write'], 5),
  resource(STOCK, ['orders:read', 'stock:read'], 600),
  resource(PAYROLL, ['payroll:read'], 5),
];
type Answer = OpenIdTokens & Failure & { issued_token_type: string };
type Exchanged = {
  sub: string;
  scope: string;
  act: object;
  client_id: string;
  email?: string;
  roles?: string[];
  cnf?: object;
};

// RFC 8693
describe('Token exchange', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let shop: TestClient;
  let gateway: TestClient;
  let orders: TestClient;
  let stock: TestClient;

  const exchanging = (served_resources: string[], resources: string[]) => ({
    config: { client_type: 'confidential', token_exchange: true, served_resources, resources },
  });

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant({ resources: RESOURCES });
    shop = await world.app(tenant, { config: { resources: [GATEWAY, PAYROLL] } });
    gateway = await world.app(tenant, exchanging([GATEWAY], [ORDERS, STOCK]));
    orders = await world.app(tenant, exchanging([ORDERS], [STOCK]));
    stock = await world.app(tenant, { config: { served_resources: [STOCK] } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const exchange = (
    client: TestClient,
    subject_token: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) =>
    postForm<Answer>(
      `${world.baseUrl}/auth/token`,
      { grant_type: TOKEN_EXCHANGE_GRANT, subject_token, subject_token_type: ACCESS_TOKEN_TYPE, ...fields },
      { ...basic(client.id, client.secret), ...headers },
    );
  const introspect = async (client: TestClient, token: string) =>
    (
      await postForm<Record<string, unknown>>(
        `${world.baseUrl}/token/introspect`,
        { token },
        basic(client.id, client.secret),
      )
    ).body;
  const signIn = async (parameters: Record<string, string> = { resource: GATEWAY, scope: SCOPE }, app = shop) => {
    const user = await world.user(app);
    const { tokens } = await openIdSignIn(world, app, user, new HostedBrowser(world.baseUrl), parameters);
    return { user, tokens };
  };
  /** The gateway calls the orders API, which calls the stock API. */
  const chain = async () => {
    const { user, tokens } = await signIn();
    const first = (await exchange(gateway, tokens.access_token, { resource: ORDERS })).body.access_token;
    const second = (await exchange(orders, first, { audience: STOCK })).body.access_token;
    return { user, tokens, first, second };
  };
  const refusalOf = ({ status, body: { error, error_description } }: { status: number; body: Failure }) =>
    `${status} ${error}${error_description ? `: ${error_description}` : ''}`;
  const put = (app: TestClient, config: object) => world.asAdmin('PUT', `/admin/apps/${app.id}`, { config });

  const agentWith = (resources: string[]) => selfRegisteredApp(world, tenant, { config: { resources } });
  /** A member of the tenant allows these scopes of an API on the page. */
  const consented = async (
    agent: TestClient,
    identifier: string,
    scopes: string[],
    known?: { user: TestUser; browser: HostedBrowser },
  ) => {
    const { user, browser } = known ?? {
      user: await world.user(shop),
      browser: new HostedBrowser(world.baseUrl),
    };
    const path = authorizationPath(agent, { ...PKCE, resource: identifier, scope: 'orders:read orders:write' });
    const page = known ? await browser.get(path) : await browser.signIn(path, user.email, user.password);
    const ticked = Object.fromEntries(scopes.map((scope) => [`scope_${scope}`, 'on']));
    const end = await browser.submit(page, { answer: 'allow', ...ticked });
    const client = { ...agent, secret: '' };
    const code = end.delivered.get('code')!;
    const { body } = await redeem<OpenIdTokens>(world, client, code, { code_verifier: VERIFIER });
    return { user, browser, tokens: body };
  };

  it('gives the server of a resource a token for another one, which says who acts for whom', async () => {
    const { user, tokens } = await signIn();
    const { status, body, headers } = await exchange(gateway, tokens.access_token, { resource: ORDERS });
    expect([status, headers.get('cache-control'), Object.keys(body).sort()]).toEqual([
      200,
      'no-store',
      ['access_token', 'expires_in', 'issued_token_type', 'scope', 'token_type'],
    ]);
    expect(body).toMatchObject({
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'email orders:read orders:write',
    });
    const claims = decodeJwt<Exchanged>(body.access_token);
    expect(claims).toMatchObject({
      sub: user.id,
      aud: ORDERS,
      client_id: gateway.id,
      tenant_id: tenant.id,
      act: { sub: gateway.id },
      email: user.email,
      grant_id: decodeJwt(tokens.access_token)['grant_id'],
    });
    expect(claims).not.toHaveProperty('roles');
    expect(await introspect(gateway, body.access_token)).toMatchObject({ active: true, act: { sub: gateway.id } });
  });

  it('nests the actors of a chain, and names both identities in the audit log', async () => {
    const { user, second } = await chain();
    expect(decodeJwt<Exchanged>(second)).toMatchObject({
      aud: STOCK,
      scope: 'email orders:read',
      act: { sub: orders.id, act: { sub: gateway.id } },
    });
    expect(await introspect(stock, second)).toMatchObject({
      active: true,
      sub: user.id,
      act: { sub: orders.id, act: { sub: gateway.id } },
    });
    const entries = await world.sql(
      `SELECT actor_type, actor_id, user_id, tenant_id, app_id, target_id, metadata->>'resource' AS resource, metadata->>'from' AS "from"
       FROM audit_entries WHERE user_id = $1 AND action = 'token.exchanged' ORDER BY ordinal`,
      [user.id],
    );
    const place = { actor_type: 'service', user_id: user.id, tenant_id: tenant.id, app_id: shop.id };
    expect(entries).toEqual([
      { ...place, actor_id: gateway.id, resource: ORDERS, from: shop.id, target_id: expect.any(String) },
      { ...place, actor_id: orders.id, resource: STOCK, from: gateway.id, target_id: decodeJwt(second).jti },
    ]);
  });

  it('gives an app a narrower token for a token of its own', async () => {
    const own = await world.app(tenant, exchanging([], [GATEWAY, ORDERS]));
    const { tokens } = await signIn({ resource: GATEWAY, scope: SCOPE }, own);
    const same = await exchange(own, tokens.access_token, { scope: 'orders:read' });
    expect(decodeJwt(same.body.access_token)).toMatchObject({
      aud: GATEWAY,
      scope: 'orders:read',
      act: { sub: own.id },
    });
    const plain = await signIn({ scope: 'openid email roles' }, own);
    const other = await exchange(own, plain.tokens.access_token, { resource: ORDERS });
    expect(decodeJwt<Exchanged>(other.body.access_token)).toMatchObject({
      aud: ORDERS,
      scope: 'email roles',
      roles: ['user'],
    });
  });

  it('never gives a token that lasts longer than the one that is exchanged', async () => {
    const { tokens } = await signIn();
    const end = decodeJwt(tokens.access_token).exp!;
    const { body } = await exchange(gateway, tokens.access_token, { resource: STOCK });
    expect(decodeJwt(body.access_token).exp).toBe(end);
    expect(body.expires_in).toBeLessThanOrEqual(1800);
    const [row] = await world.sql<{ end: number }>(
      'SELECT extract(epoch FROM expires_at)::int AS end FROM token_exchanges WHERE id = $1',
      [decodeJwt(body.access_token).jti],
    );
    expect(row!.end).toBe(end);
  });

  it('gives no scope where the sign-in asked for none', async () => {
    const { tokens } = await signIn({ resource: GATEWAY, scope: '' });
    const { body } = await exchange(gateway, tokens.access_token, { resource: ORDERS });
    expect([body.scope, decodeJwt<Exchanged>(body.access_token).email]).toEqual(['', undefined]);
  });

  describe('refuses', () => {
    let subject: OpenIdTokens;
    beforeAll(async () => {
      subject = (await signIn()).tokens;
    });

    it.each<[string, Record<string, string>, string]>([
      ['a resource that does not exist', { resource: 'https://nowhere.example.com' }, '400 invalid_target'],
      ['a resource that the app may not ask for', { resource: PAYROLL }, '400 invalid_target'],
      ['the audience of another app', { audience: 'shop' }, '400 invalid_target'],
      ['its own ID as the audience', { audience: 'gateway' }, '400 invalid_target'],
      ['a resource and another audience', { resource: ORDERS, audience: STOCK }, '400 invalid_target'],
      ['no resource where it may not ask for that of the token', {}, '400 invalid_target'],
      [
        'a scope that the token does not have',
        { resource: ORDERS, scope: 'payroll:read' },
        '400 invalid_scope: invalid_scope: payroll:read',
      ],
      [
        'a scope that the resource does not have',
        { resource: ORDERS, scope: 'stock:read' },
        '400 invalid_scope: invalid_scope: stock:read',
      ],
      ['a scope of a sign-in', { resource: ORDERS, scope: 'openid' }, '400 invalid_scope: invalid_scope: openid'],
      [
        'another type of subject token',
        { resource: ORDERS, subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
        `400 invalid_request: subject_token_type must be ${ACCESS_TOKEN_TYPE}`,
      ],
      [
        'any JWT',
        { resource: ORDERS, subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
        `400 invalid_request: subject_token_type must be ${ACCESS_TOKEN_TYPE}`,
      ],
      [
        'to give a refresh token',
        { resource: ORDERS, requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
        `400 invalid_request: requested_token_type must be ${ACCESS_TOKEN_TYPE}`,
      ],
      [
        'an actor token',
        { resource: ORDERS, actor_token: 'any', actor_token_type: ACCESS_TOKEN_TYPE },
        '400 invalid_request: actor_token is not supported: the app that authenticates is the actor',
      ],
      [
        'no subject token',
        { resource: ORDERS, subject_token: '' },
        '400 invalid_request: subject_token: Field required',
      ],
    ])('%s', async (_, fields, refusal) => {
      const given = { shop: shop.id, gateway: gateway.id }[fields['audience'] ?? ''];
      const answer = await exchange(gateway, subject.access_token, {
        ...fields,
        ...(given ? { audience: given } : {}),
      });
      expect(refusalOf(answer)).toBe(refusal);
    });

    it.each<[string, () => Promise<string> | string]>([
      ['a refresh token', () => subject.refresh_token],
      ['an ID token', () => subject.id_token],
      ['a service token', () => world.serviceToken(gateway)],
      ['a token with a changed signature', () => `${subject.access_token.slice(0, -8)}AAAAAAAA`],
      ['no token', () => 'a.b.c'],
      [
        'a token for the app itself of another app',
        async () => (await signIn({ scope: 'openid' })).tokens.access_token,
      ],
      [
        'a token for a resource that it does not serve',
        async () => (await signIn({ resource: PAYROLL })).tokens.access_token,
      ],
      ['a token of the console', () => world.admin.token],
      ['an exchanged token of another app', async () => (await chain()).second],
      [
        'an exchanged token without a record',
        () => forged({ act: { sub: gateway.id }, client_id: gateway.id, jti: '018f2f6e-7a3b-7c60-a111-000000000000' }),
      ],
      ['a token of a client that is not that of its sign-in', () => forged({ client_id: gateway.id })],
      ['a token of another user than that of its sign-in', () => forged({ sub: world.admin.id })],
      ['a token of another tenant', () => forged({ tenant_id: world.platformConsoleId })],
    ])('%s as the subject', async (_, token) => {
      const answer = await exchange(gateway, await token(), { resource: ORDERS });
      expect(refusalOf(answer)).toBe('400 invalid_request: Invalid subject_token');
    });

    /** Signed by our key, with other claims than the token of the sign-in. */
    const forged = (claims: object) => {
      const {
        iss: _iss,
        iat: _iat,
        exp: _exp,
        token_use: _use,
        ...genuine
      } = decodeJwt<Record<string, never>>(subject.access_token);
      const signer = service.nest.get(TokenSigner, { strict: false });
      return signer.signAccess({ ...genuine, ...claims } as unknown as Parameters<TokenSigner['signAccess']>[0], 60);
    };

    it('a token that names another app as the one that may act, and takes one that names this one', async () => {
      const other = await exchange(gateway, await forged({ may_act: { sub: shop.id } }), { resource: ORDERS });
      expect(refusalOf(other)).toBe('400 invalid_request: The subject token names another app that may act');
      const own = await exchange(gateway, await forged({ may_act: { sub: gateway.id } }), { resource: ORDERS });
      expect(own.status).toBe(200);
    });

    it('a fifth actor', async () => {
      const own = await world.app(tenant, exchanging([], [GATEWAY]));
      let token = (await signIn({ resource: GATEWAY }, own)).tokens.access_token;
      for (let actors = 1; actors <= 4; actors++) {
        const { status, body } = await exchange(own, token);
        expect([actors, status]).toEqual([actors, 200]);
        token = body.access_token;
      }
      expect(refusalOf(await exchange(own, token))).toBe(
        '400 invalid_request: At most 4 apps can act for a user one behind the other',
      );
    });

    it.each<[string, () => Promise<TestClient> | TestClient, string]>([
      ['an app whose setting is off', () => shop, '400 unauthorized_client: Token exchange is turned off for this app'],
      [
        'a Console app',
        async () => {
          await world.sql(
            `UPDATE apps SET config = config || '{"token_exchange": true, "client_type": "confidential"}' WHERE id = $1`,
            [tenant.consoleAppId],
          );
          const { client_secret: secret } = await world.asAdmin<{ client_secret: string }>(
            'POST',
            `/admin/apps/${tenant.consoleAppId}/regenerate-secret`,
          );
          return { ...gateway, id: tenant.consoleAppId, secret };
        },
        '400 unauthorized_client: Token exchange is turned off for this app',
      ],
      [
        'an app without a client type',
        async () => {
          const app = await world.app(tenant, exchanging([GATEWAY], [ORDERS]));
          await world.sql(`UPDATE apps SET config = config || '{"client_type": null}' WHERE id = $1`, [app.id]);
          return app;
        },
        '400 unauthorized_client: Token exchange is turned off for this app',
      ],
      [
        'an app that asks for consent',
        async () => {
          const app = await world.app(tenant, exchanging([GATEWAY], [ORDERS]));
          await world.sql(`UPDATE apps SET config = config || '{"third_party": true}' WHERE id = $1`, [app.id]);
          return app;
        },
        '400 unauthorized_client: Token exchange is turned off for this app',
      ],
      ['a wrong secret', () => ({ ...gateway, secret: 'wrong' }), '401 invalid_client'],
      [
        'a public app',
        async () => {
          const app = await world.app(tenant, exchanging([GATEWAY], [ORDERS]));
          await world.sql(`UPDATE apps SET config = config || '{"client_type": "public"}' WHERE id = $1`, [app.id]);
          return app;
        },
        '401 invalid_client',
      ],
      ['a client that has registered itself', () => selfRegisteredApp(world, tenant), '401 invalid_client'],
    ])('%s', async (_, client, refusal) => {
      const answer = await exchange(await client(), subject.access_token, { resource: ORDERS });
      expect(refusalOf(answer)).toBe(refusal);
    });

    it('an app of another tenant, whatever it names', async () => {
      const foreign = await world.app(await world.tenant(), exchanging([GATEWAY], [ORDERS]));
      const answer = await exchange(foreign, subject.access_token, { resource: ORDERS });
      expect(refusalOf(answer)).toBe('400 invalid_request: Invalid subject_token');
      expect(await introspect(foreign, subject.access_token)).toEqual({ active: false });
    });

    it('a client that only says its name', async () => {
      const fields = { subject_token: subject.access_token, subject_token_type: ACCESS_TOKEN_TYPE, resource: ORDERS };
      const answer = await postForm(`${world.baseUrl}/auth/token`, {
        grant_type: TOKEN_EXCHANGE_GRANT,
        client_id: gateway.id,
        ...fields,
      });
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    });
  });

  describe('of what has ended', () => {
    const nameResources = (resources: object[]) => world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { resources });
    interface Ending {
      readonly what: string;
      readonly end: (made: Awaited<ReturnType<typeof chain>>) => Promise<unknown>;
      readonly undo?: () => Promise<unknown>;
    }

    it.each<Ending>([
      {
        what: 'the refresh token was revoked',
        end: ({ tokens }) =>
          postForm(`${world.baseUrl}/token/revoke`, { token: tokens.refresh_token }, basic(shop.id, shop.secret)),
      },
      {
        what: 'the access token of the sign-in was revoked',
        end: ({ tokens }) =>
          postForm(`${world.baseUrl}/token/revoke`, { token: tokens.access_token }, basic(shop.id, shop.secret)),
      },
      {
        what: 'the user was suspended in the app of the sign-in',
        end: ({ user }) => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: shop.id }),
      },
      {
        what: 'the user left the app of the sign-in',
        end: ({ user }) => world.asAdmin('DELETE', `/admin/users/${user.id}?app_id=${shop.id}`),
      },
      {
        what: 'the account was suspended',
        end: async ({ user, second }) => {
          await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
          await eventually('the service has heard of it', async () => !(await introspect(stock, second))['active']);
        },
      },
      {
        what: 'the user got a new password',
        end: ({ user }) =>
          world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'another correct horse battery' }),
      },
      {
        what: 'the app of the sign-in was switched off',
        end: () => world.asAdmin('PUT', `/admin/apps/${shop.id}`, { is_active: false }),
        undo: () => world.asAdmin('PUT', `/admin/apps/${shop.id}`, { is_active: true }),
      },
      {
        what: 'the app of the sign-in may no longer ask for the resource',
        end: () => put(shop, { resources: [PAYROLL] }),
        undo: () => put(shop, { resources: [GATEWAY, PAYROLL] }),
      },
      {
        what: 'the first actor was switched off',
        end: () => world.asAdmin('PUT', `/admin/apps/${gateway.id}`, { is_active: false }),
        undo: () => world.asAdmin('PUT', `/admin/apps/${gateway.id}`, { is_active: true }),
      },
      {
        what: 'the setting of the first actor was switched off',
        end: () => put(gateway, { token_exchange: false }),
        undo: () => put(gateway, { token_exchange: true }),
      },
      {
        what: 'the first actor may no longer ask for its resource',
        end: () => put(gateway, { resources: [STOCK] }),
        undo: () => put(gateway, { resources: [ORDERS, STOCK] }),
      },
      {
        what: 'the first actor no longer serves the resource of the token',
        end: () => put(gateway, { served_resources: [] }),
        undo: () => put(gateway, { served_resources: [GATEWAY] }),
      },
      {
        what: 'the second actor was switched off',
        end: () => world.asAdmin('PUT', `/admin/apps/${orders.id}`, { is_active: false }),
        undo: () => world.asAdmin('PUT', `/admin/apps/${orders.id}`, { is_active: true }),
      },
      {
        what: 'the tenant gave up the resource of the first exchange',
        end: () => nameResources(RESOURCES.filter(({ identifier }) => identifier !== ORDERS)),
        undo: () => nameResources(RESOURCES),
      },
      {
        what: 'the first actor ended its token',
        end: ({ first }) =>
          postForm(`${world.baseUrl}/token/revoke`, { token: first }, basic(gateway.id, gateway.secret)),
      },
    ])('nothing is active and nothing more is given after $what', async ({ end, undo }) => {
      const made = await chain();
      expect((await introspect(stock, made.second))['active']).toBe(true);
      await end(made);
      expect(await introspect(stock, made.second)).toEqual({ active: false });
      expect((await exchange(orders, made.first, { resource: STOCK })).status).not.toBe(200);
      await undo?.();
    });

    describe('scopes', () => {
      const without = (identifier: string, ...gone: string[]) =>
        nameResources(
          RESOURCES.map((each) =>
            each.identifier === identifier
              ? { ...each, scopes: each.scopes.filter((scope) => !gone.includes(scope)) }
              : each,
          ),
        );
      afterEach(() => nameResources(RESOURCES));

      it('that the tenant has taken out of the first API, at every API of the chain', async () => {
        const { tokens, first, second } = await chain();
        await without(GATEWAY, 'orders:read');
        for (const [client, token, scope] of [
          [gateway, tokens.access_token, 'openid email orders:write stock:read'],
          [orders, first, 'email orders:write'],
          [stock, second, 'email'],
        ] as const)
          expect(await introspect(client, token)).toMatchObject({ active: true, scope });
        const again = await exchange(gateway, tokens.access_token, { resource: ORDERS });
        expect([again.status, again.body.scope]).toEqual([200, 'email orders:write']);
        const asked = await exchange(gateway, tokens.access_token, { resource: ORDERS, scope: 'orders:read' });
        expect(refusalOf(asked)).toMatch(/^400 invalid_scope/);
        const further = await exchange(orders, first, { resource: STOCK });
        expect([further.status, further.body.scope]).toEqual([200, 'email']);
      });

      it('that the tenant has taken out of an API in between', async () => {
        const { tokens, second } = await chain();
        await without(ORDERS, 'orders:read');
        expect(await introspect(stock, second)).toMatchObject({ active: true, scope: 'email' });
        expect(await introspect(gateway, tokens.access_token)).toMatchObject({ active: true, scope: SCOPE });
      });
    });

    it('nothing is given where the sign-in ends at the same moment', async () => {
      const { user, tokens } = await signIn();
      const ending = new Client({ connectionString: service.settings.databaseUrl! });
      await ending.connect();
      try {
        await ending.query('BEGIN');
        await ending.query('UPDATE refresh_families SET revoked_at = now() WHERE user_id = $1', [user.id]);
        const answer = exchange(gateway, tokens.access_token, { resource: ORDERS });
        await eventually('the exchange waits for the sign-in', () => isBlocking(ending));
        await ending.query('COMMIT');
        expect(refusalOf(await answer)).toBe('400 invalid_request: Invalid subject_token');
      } finally {
        await ending.end();
      }
    });

    it('the sign-in goes on where an actor has ended its token, and no other app can end it', async () => {
      const { tokens, first, second } = await chain();
      const revoke = (client: TestClient, token: string) =>
        postForm(`${world.baseUrl}/token/revoke`, { token }, basic(client.id, client.secret));
      for (const client of [shop, gateway])
        expect(refusalOf(await revoke(client, second))).toBe('400 invalid_grant: Token does not belong to this app');
      const nameless = await postForm(`${world.baseUrl}/token/revoke`, { token: second });
      expect(nameless.body.error).toBe('unsupported_token_type');
      expect((await revoke(orders, second)).status).toBe(200);
      expect(await introspect(stock, second)).toEqual({ active: false });
      expect((await introspect(orders, first))['active']).toBe(true);
      expect((await introspect(gateway, tokens.access_token))['active']).toBe(true);
    });

    it('a consent that was taken back', async () => {
      const agent = await agentWith([GATEWAY, ORDERS]);
      const { user, browser, tokens } = await consented(agent, GATEWAY, ['orders:read']);
      await consented(agent, ORDERS, ['orders:read'], { user, browser });
      const first = await exchange(gateway, tokens.access_token, { resource: ORDERS });
      expect([first.status, first.body.scope]).toEqual([200, 'orders:read']);
      const visitor = await visitAccount(world, user);
      const form_token = (await visitor.get('/account')).formToken();
      await visitor.post(`/account/apps/${agent.id}/consent/revoke`, { form_token });
      expect(await introspect(gateway, first.body.access_token)).toEqual({ active: false });
      expect((await exchange(gateway, tokens.access_token, { resource: ORDERS })).status).toBe(400);
    });

    it('a scope that the user has since refused the app at an API of the chain', async () => {
      const agent = await agentWith([GATEWAY, ORDERS, STOCK]);
      const { user, browser, tokens } = await consented(agent, GATEWAY, ['orders:read', 'orders:write']);
      await consented(agent, ORDERS, ['orders:read', 'orders:write'], { user, browser });
      await consented(agent, STOCK, ['orders:read'], { user, browser });
      const first = (await exchange(gateway, tokens.access_token, { resource: ORDERS })).body.access_token;
      const narrow = { resource: ORDERS, scope: 'orders:read' };
      const reading = (await exchange(gateway, tokens.access_token, narrow)).body.access_token;
      const second = (await exchange(orders, first, { resource: STOCK })).body.access_token;
      expect(await introspect(orders, first)).toMatchObject({ active: true, scope: 'orders:read orders:write' });
      expect(await introspect(stock, second)).toMatchObject({ active: true, scope: 'orders:read' });
      await consented(agent, ORDERS, ['orders:read'], { user, browser });
      expect(await introspect(orders, first)).toEqual({ active: false });
      expect(await introspect(stock, second)).toEqual({ active: false });
      const further = await exchange(orders, first, { resource: STOCK });
      expect(refusalOf(further)).toBe('400 invalid_request: Invalid subject_token');
      // What the user still allows goes on.
      expect(await introspect(orders, reading)).toMatchObject({ active: true, scope: 'orders:read' });
      expect((await introspect(gateway, tokens.access_token))['active']).toBe(true);
    });
  });

  describe('of a token of an app that asks for consent', () => {
    it('gives nothing for an API that the user has not allowed the app, whatever its scopes are called', async () => {
      const agent = await agentWith([GATEWAY, ORDERS]);
      const { user, browser, tokens } = await consented(agent, GATEWAY, ['orders:read', 'orders:write']);
      for (const asked of [{}, { scope: 'orders:read' }] as Record<string, string>[]) {
        const answer = await exchange(gateway, tokens.access_token, { resource: ORDERS, ...asked });
        expect(refusalOf(answer)).toBe('400 invalid_target');
      }
      // Nor anything of another user, or of another app.
      await consented(agent, ORDERS, ['orders:read', 'orders:write']);
      await consented(await agentWith([GATEWAY, ORDERS]), ORDERS, ['orders:read'], { user, browser });
      expect((await exchange(gateway, tokens.access_token, { resource: ORDERS })).body.error).toBe('invalid_target');
    });

    it('gives the scopes that the user has allowed there as well', async () => {
      const agent = await agentWith([GATEWAY, ORDERS]);
      const { user, browser, tokens } = await consented(agent, GATEWAY, ['orders:read', 'orders:write']);
      await consented(agent, ORDERS, ['orders:read'], { user, browser });
      expect((await exchange(gateway, tokens.access_token, { resource: ORDERS })).body.scope).toBe('orders:read');
      const wide = await exchange(gateway, tokens.access_token, { resource: ORDERS, scope: 'orders:write' });
      expect(wide.body.error).toBe('invalid_scope');
    });
  });

  describe('with DPoP', () => {
    let key: DpopKeyPair;
    let other: DpopKeyPair;
    let nonce: string;
    const proof = async (by: DpopKeyPair) => ({
      DPoP: await newProof(by, { htm: 'POST', htu: `${world.baseUrl}/auth/token`, nonce }),
    });

    beforeAll(async () => {
      [key, other] = [await newDpopKey(), await newDpopKey()];
      const first = await exchange(
        gateway,
        'none',
        {},
        { DPoP: await newProof(key, { htm: 'POST', htu: `${world.baseUrl}/auth/token`, nonce: 'none' }) },
      );
      nonce = first.headers.get('dpop-nonce')!;
    });

    const bound = async (client: TestClient, by: DpopKeyPair) => {
      const user = await world.user(client);
      const browser = new HostedBrowser(world.baseUrl);
      const query = {
        client_id: client.id,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        resource: GATEWAY,
      };
      const end = await browser.signIn(`/login?${new URLSearchParams(query).toString()}`, user.email, user.password);
      const fields = {
        grant_type: 'authorization_code',
        code: end.delivered.get('code')!,
        redirect_uri: client.redirectUri,
      };
      const { body } = await postForm<Answer>(`${world.baseUrl}/auth/token`, fields, {
        ...basic(client.id, client.secret),
        ...(await proof(by)),
      });
      return body.access_token;
    };

    it('binds the token to the key of the client that exchanges', async () => {
      const { tokens } = await signIn();
      const { body } = await exchange(gateway, tokens.access_token, { resource: ORDERS }, await proof(key));
      expect([body.token_type, decodeJwt<Exchanged>(body.access_token).cnf]).toEqual(['DPoP', { jkt: key.jkt }]);
    });

    it('gives no bearer token for a bound one, and takes any key of an app that has received it', async () => {
      const subject = await bound(shop, key);
      const without = await exchange(gateway, subject, { resource: ORDERS });
      expect(refusalOf(without)).toBe('400 invalid_dpop_proof: The subject token is bound to a key: send a DPoP proof');
      const { status, body } = await exchange(gateway, subject, { resource: ORDERS }, await proof(other));
      expect([status, decodeJwt<Exchanged>(body.access_token).cnf]).toEqual([200, { jkt: other.jkt }]);
    });

    it('wants the same key for a token of the app itself', async () => {
      const own = await world.app(tenant, exchanging([], [GATEWAY]));
      const subject = await bound(own, key);
      const wrong = await exchange(own, subject, {}, await proof(other));
      expect(refusalOf(wrong)).toBe('400 invalid_dpop_proof: The subject token is bound to another key');
      expect((await exchange(own, subject, {}, await proof(key))).status).toBe(200);
    });
  });

  it('gives tokens that open no route of this service', async () => {
    const { first } = await chain();
    for (const path of ['/userinfo', '/admin/users', '/account/me'])
      expect([path, (await world.call('GET', path, undefined, { token: first })).status]).not.toEqual([path, 200]);
    const verified = await world.call('POST', '/token/verify', { token: first, audience: ORDERS });
    expect(verified.body).toEqual({ valid: false, error: 'Invalid token' });
  });

  it('is shown at the sign-in, on the account page, in the user’s own data and to operators', async () => {
    const { user } = await chain();
    const visitor = await visitAccount(world, user);
    const page = await visitor.get('/account');
    expect(wordsOf(page)).toContain('Used on your behalf by App com.example.');
    expect(wordsOf(page)).toContain(`(API ${ORDERS})`);
    const file = await visitor.post('/account/export', { form_token: page.formToken() });
    const { app_sessions: sessions } = JSON.parse(file.body) as { app_sessions: { exchanged_by: object[] }[] };
    expect(sessions.flatMap((each) => each.exchanged_by)).toEqual(
      expect.arrayContaining([
        { app_id: gateway.id, resource: ORDERS },
        { app_id: orders.id, resource: STOCK },
      ]),
    );
    const root = await visitConsole(world, world.admin);
    const seen = await root.get(`/console/users/${user.id}/sessions`);
    expect(wordsOf(seen)).toContain(`(API ${ORDERS})`);
  });

  it('is introspected by the app that serves the resource, also for tokens of sign-ins, and by no other', async () => {
    const { tokens, first } = await chain();
    expect((await introspect(gateway, tokens.access_token))['active']).toBe(true);
    expect((await introspect(orders, first))['active']).toBe(true);
    expect(await introspect(stock, first)).toEqual({ active: false });
    expect(await introspect(shop, first)).toEqual({ active: false });
  });

  describe('as a setting', () => {
    const change = (app: TestClient, bearer: string, config: object) =>
      world.call<{ detail: unknown }>('PUT', `/admin/apps/${app.id}`, { config }, { token: bearer });

    it('is switched on by the tenant’s admins, and off by those of the app too', async () => {
      const app = await world.app(tenant, { config: { client_type: 'confidential' }, service_scopes: ['apps:write'] });
      const admin = await world.user(app, { roles: ['user', 'admin'] });
      const byAdmin = (await world.tokens(admin, app.id, { client_secret: app.secret })).access_token;
      const byService = await world.serviceToken(app);
      for (const bearer of [byAdmin, byService])
        for (const config of [{ token_exchange: true }, { served_resources: [ORDERS] }])
          expect((await change(app, bearer, config)).status).toBe(403);
      const tenantAdmin = await world.tenantAdmin(tenant);
      const byTenant = (await world.tokens(tenantAdmin, tenant.consoleAppId)).access_token;
      const config = { token_exchange: true, served_resources: [ORDERS] };
      expect((await change(app, byTenant, config)).status).toBe(200);
      for (const bearer of [byAdmin, byService]) expect((await change(app, bearer, config)).status).toBe(200);
      expect((await change(app, byAdmin, { token_exchange: false, served_resources: [] })).status).toBe(200);
    });

    it.each([
      ['a public app', { client_type: 'public' }],
      ['an app without a client type', { client_type: null }],
      ['an app that asks for consent', { client_type: 'confidential', third_party: true }],
    ])('is refused for %s', async (_, config) => {
      const app = await world.app(tenant);
      expect((await change(app, world.admin.token, { ...config, token_exchange: true })).status).toBe(422);
    });

    it('is refused for a Console app', async () => {
      for (const config of [{ token_exchange: false }, { served_resources: [] }])
        expect((await change({ ...shop, id: tenant.consoleAppId }, world.admin.token, config)).status).toBe(403);
    });
  });
});
