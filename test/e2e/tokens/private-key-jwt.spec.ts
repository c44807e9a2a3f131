import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exportSPKI } from 'jose';
import * as oidc from 'openid-client';
import { Clock } from '../../../src/common/clock.js';
import { Network } from '../../../src/outbound/network.js';
import { SpentProofs } from '../../../src/tokens/proofs/spent-proofs.service.js';
import {
  type AssertionParts,
  assertionFields,
  type ClientAlgorithm,
  type ClientKeyPair,
  newAssertion,
  newClientKey,
  signedUnder,
} from '../../support/client-keys.js';
import { FakeClock } from '../../support/fake-clock.js';
import { FakeNetwork, PUBLIC_ADDRESS } from '../../support/fake-network.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const INVALID_CLIENT = [401, 'invalid_client'];
const HOST = 'keys.receiver.example';
const MINUTE = 60;

describe('private_key_jwt (RFC 7523)', () => {
  let database: TestDatabase;
  let host: WebhookReceiver;
  let network: FakeNetwork;
  let clock: FakeClock;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  const key = newClientKey();
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    [database, host] = await Promise.all([freshDatabase(), WebhookReceiver.startSecure()]);
    network = await FakeNetwork.open(host.port);
    network.set(HOST, [PUBLIC_ADDRESS]);
    network.set('inside.example', ['10.0.0.1']);
    clock = new FakeClock();
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        allowPrivateNetworkTargets: false,
        rateLimits: { enabled: false, overrides: {} },
      },
      override: (builder) =>
        builder.overrideProvider(Network).useValue(network).overrideProvider(Clock).useValue(clock),
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await keyedApp({ jwks: { keys: [key.jwk] } }, { device_grant: true });
    user = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await host.close();
    network.close();
    await database.drop();
  });

  const keyedApp = (keys: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    world.app(tenant, {
      config: { client_type: 'confidential', token_endpoint_auth_method: 'private_key_jwt', ...keys, ...more },
    });
  const assertion = (parts: AssertionParts = {}, client = app, by = key) => {
    const now = clock.seconds();
    const claims = { iat: now, exp: now + MINUTE, ...parts.claims };
    return newAssertion(service.baseUrl, client.id, by, { ...parts, claims });
  };
  const signed = async (parts: AssertionParts = {}, client = app, by = key) =>
    assertionFields(await assertion(parts, client, by));
  const post = (path: string, fields: Record<string, string>, headers = {}) =>
    (path.startsWith('/token/re') || path === '/token/exchange'
      ? postJson<Tokens & Failure & { active?: boolean; request_uri?: string }>
      : postForm<Tokens & Failure & { active?: boolean; request_uri?: string }>)(
      `${service.baseUrl}${path}`,
      fields,
      headers,
    );
  const forService = (fields: Record<string, string>, headers = {}) =>
    post('/auth/token', { grant_type: 'client_credentials', ...fields }, headers);
  const refusal = ({ status, body }: { status: number; body: Failure }) => [status, body.error];
  const refusals = (client: TestClient) =>
    world.sql<{ reason: string }>(
      `SELECT metadata ->> 'reason' AS reason FROM audit_entries
       WHERE app_id = $1 AND action = 'service_token.refused' ORDER BY ordinal`,
      [client.id],
    );

  it.each<ClientAlgorithm>(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'])('accepts %s', async (alg) => {
    const own = newClientKey(alg);
    const client = await keyedApp({ jwks: { keys: [newClientKey().jwk, own.jwk] } });
    expect((await forService(await signed({}, client, own))).status).toBe(200);
  });

  it('needs the kid if the app has more than two keys for the algorithm, and is not tried with each of them', async () => {
    const [one, two, three, rsa] = [newClientKey(), newClientKey(), newClientKey(), newClientKey('RS256')];
    const nameless = ({ jwk }: ClientKeyPair) => ({ ...jwk, kid: undefined });
    const answers: [number, Record<string, unknown>[], ClientKeyPair, string | undefined][] = [
      [200, [one.jwk], one, undefined],
      [200, [one.jwk, rsa.jwk], one, undefined],
      [200, [nameless(one)], one, 'any'],
      [200, [nameless(one), two.jwk], two, two.jwk['kid'] as string],
      [200, [nameless(one), two.jwk], one, 'any'],
      [200, [one.jwk, two.jwk], two, undefined],
      [401, [one.jwk, two.jwk], three, undefined],
      [401, [one.jwk, two.jwk, three.jwk], one, undefined],
      [401, [one.jwk, two.jwk, three.jwk], three, 'any'],
      [401, [nameless(one), two.jwk], one, two.jwk['kid'] as string],
    ];
    for (const [status, keys, own, kid] of answers) {
      const client = await keyedApp({ jwks: { keys } });
      const answer = await forService(await signed({ header: { kid: kid as string } }, client, own));
      expect([keys, kid, answer.status]).toEqual([keys, kid, status]);
    }
  });

  it('is verified with two keys without a kid that were saved before such sets were refused, and no more', async () => {
    const keys = [newClientKey(), newClientKey(), newClientKey()];
    for (const [count, status] of [
      [2, 200],
      [3, 401],
    ] as const) {
      const client = await keyedApp({ jwks: { keys: [key.jwk] } });
      const jwks = { keys: keys.slice(0, count).map(({ jwk }) => ({ ...jwk, kid: undefined })) };
      await world.sql(`UPDATE apps SET config = config || jsonb_build_object('jwks', $2::jsonb) WHERE id = $1`, [
        client.id,
        JSON.stringify(jwks),
      ]);
      for (const own of keys.slice(0, count))
        expect((await forService(await signed({}, client, own))).status).toBe(status);
      await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { require_pkce: true } });
    }
  });

  it('works at every endpoint where a client authenticates, and is needed there', async () => {
    const code = () => newCode(world, app, user, PKCE);
    const refreshed = async () => {
      const body = { code: await code(), app_id: app.id, code_verifier: VERIFIER, ...(await signed()) };
      return (await post('/token/exchange', body)).body;
    };
    const { access_token: token } = await refreshed();
    const grant = async () => ({ grant_type: 'authorization_code', code: await code(), code_verifier: VERIFIER });
    const doors: [string, () => Promise<Record<string, string>>, number][] = [
      ['/auth/token', async () => ({ grant_type: 'client_credentials', client_id: app.id }), 200],
      ['/auth/token', async () => ({ ...(await grant()), client_id: app.id }), 200],
      [
        '/auth/token',
        async () => ({
          grant_type: 'refresh_token',
          client_id: app.id,
          refresh_token: (await refreshed()).refresh_token,
        }),
        200,
      ],
      ['/token/exchange', async () => ({ code: await code(), app_id: app.id, code_verifier: VERIFIER }), 200],
      ['/token/refresh', async () => ({ refresh_token: (await refreshed()).refresh_token, app_id: app.id }), 200],
      ['/auth/device-authorization', async () => ({ client_id: app.id }), 200],
      ['/token/introspect', async () => ({ token, client_id: app.id }), 200],
      ['/auth/par', async () => ({ client_id: app.id, response_type: 'code', redirect_uri: app.redirectUri }), 201],
      ['/token/revoke', async () => ({ token, client_id: app.id }), 200],
    ];
    for (const [path, fields, status] of doors) {
      const given = await fields();
      for (const wrong of [{}, { client_secret: app.secret }] as Record<string, string>[])
        expect([path, wrong, (await post(path, { ...given, ...wrong })).status]).toEqual([path, wrong, 401]);
      expect([path, (await post(path, given, basic(app.id, app.secret))).status]).toEqual([path, 401]);
      expect([path, (await post(path, { ...given, ...(await signed()) })).status]).toEqual([path, status]);
    }
  });

  it('names the client by itself, in whatever case', async () => {
    expect((await forService(await signed())).status).toBe(200);
    expect((await forService({ client_id: app.id.toUpperCase(), ...(await signed()) })).status).toBe(200);
  });

  const now = () => clock.seconds();
  const other = newClientKey();
  /** What is wrong, the assertion, and what the audit log says. */
  const bad: [string, () => AssertionParts, string][] = [
    ['alg none', () => ({ header: { alg: 'none' } }), 'assertion_algorithm'],
    ['a key of another client', () => ({ key: other.privateKey }), 'assertion_signature'],
    ['an unknown kid', () => ({ header: { kid: 'unknown' } }), 'assertion_unknown_key'],
    ['the type of an access token', () => ({ header: { typ: 'at+jwt' } }), 'assertion_malformed'],
    ['the type of a DPoP proof', () => ({ header: { typ: 'dpop+jwt' } }), 'assertion_malformed'],
    ['another media type', () => ({ header: { typ: 'text/jwt' } }), 'assertion_malformed'],
    ['a type that is no text', () => ({ header: { typ: 7 as never } }), 'assertion_malformed'],
    ['a critical header that is unknown', () => ({ header: { crit: ['x'], x: 1 } }), 'assertion_malformed'],
    ['another issuer', () => ({ claims: { iss: randomUUID() } }), 'assertion_issuer'],
    ['no issuer', () => ({ claims: { iss: undefined } }), 'assertion_issuer'],
    ['no audience', () => ({ claims: { aud: undefined } }), 'assertion_audience'],
    [
      'the token endpoint as audience',
      () => ({ claims: { aud: `${service.baseUrl}/auth/token` } }),
      'assertion_audience',
    ],
    ['the issuer with a slash', () => ({ claims: { aud: `${service.baseUrl}/` } }), 'assertion_audience'],
    [
      'another audience besides',
      () => ({ claims: { aud: [service.baseUrl, 'https://other.example'] } }),
      'assertion_audience',
    ],
    ['no exp', () => ({ claims: { exp: undefined } }), 'assertion_times'],
    ['exp in the past', () => ({ claims: { exp: now() } }), 'assertion_times'],
    ['exp far ahead', () => ({ claims: { exp: now() + 7 * MINUTE } }), 'assertion_times'],
    ['exp that is no number', () => ({ claims: { exp: String(now() + MINUTE) as never } }), 'assertion_times'],
    ['iat in the future', () => ({ claims: { iat: now() + 2 * MINUTE } }), 'assertion_times'],
    ['nbf in the future', () => ({ claims: { nbf: now() + 2 * MINUTE } }), 'assertion_times'],
    ['no jti', () => ({ claims: { jti: undefined } }), 'assertion_malformed'],
    ['an empty jti', () => ({ claims: { jti: '' } }), 'assertion_malformed'],
    ['a jti that is no text', () => ({ claims: { jti: 7 as never } }), 'assertion_malformed'],
  ];

  it('refuses every assertion that is not good, and the audit log says why', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } });
    for (const [what, parts] of bad) {
      const { header, claims, key: by } = parts();
      const isUnsigned = header?.alg === 'none';
      const given = isUnsigned
        ? `${unsigned(client, { alg: 'none' })}AAAA`
        : await assertion({ header, claims, ...(by ? { key: by } : {}) }, client);
      expect([what, ...refusal(await forService(assertionFields(given)))]).toEqual([what, ...INVALID_CLIENT]);
    }
    const expected = bad.map(([, , reason]) => reason);
    // Entries are written after the answers, in no certain order.
    await eventually('all refusals are written', async () => (await refusals(client)).length === expected.length);
    expect((await refusals(client)).map(({ reason }) => reason).sort()).toEqual([...expected].sort());
    expect((await forService(await signed({}, client))).status).toBe(200);
  });

  it('refuses an assertion with an unencoded payload (RFC 7797 section 7)', async () => {
    expect((await forService(assertionFields(signedUnder(await assertion(), {}, key)))).status).toBe(200);
    const given = signedUnder(await assertion(), { crit: ['b64'], b64: false }, key);
    expect(refusal(await forService(assertionFields(given)))).toEqual(INVALID_CLIENT);
  });

  it.each(['JWT', 'jwt', 'application/jwt', 'Client-Authentication+JWT', 'application/client-authentication+jwt'])(
    'accepts %s as typ, which is a media type (RFC 7515 section 4.1.9)',
    async (typ) => {
      expect((await forService(await signed({ header: { typ } }))).status).toBe(200);
    },
  );

  it('refuses an unsigned assertion, and one that the public key or the secret has signed as if it were a shared one', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } });
    expect(refusal(await forService(assertionFields(unsigned(client, { alg: 'none' }))))).toEqual(INVALID_CLIENT);
    for (const shared of [await exportSPKI(key.publicKey as never), client.secret]) {
      const input = unsigned(client, { alg: 'HS256' }).replace(/\.$/, '');
      const mac = createHmac('sha256', shared).update(input).digest('base64url');
      expect(refusal(await forService(assertionFields(`${input}.${mac}`)))).toEqual(INVALID_CLIENT);
    }
  });

  it.each(['', 'x', 'x.y.z', 'e30.e30.e30', 'W10.W10.e30', `${'a'.repeat(9_000)}.e30.e30`])(
    'refuses “%s” as an assertion',
    async (text) => {
      const answer = await forService({ client_id: app.id, ...assertionFields(text) });
      expect([400, 401]).toContain(answer.status);
      expect(['invalid_request', 'invalid_client']).toContain(answer.body.error);
    },
  );

  it('refuses an assertion of another client beside this client’s name', async () => {
    expect(refusal(await forService({ client_id: randomUUID(), ...(await signed()) }))).toEqual(INVALID_CLIENT);
  });

  it.each<[string, () => Promise<{ status: number; body: Failure }>]>([
    ['a secret in the body', async () => forService({ ...(await signed()), client_secret: app.secret })],
    ['HTTP Basic', async () => forService(await signed(), basic(app.id, app.secret))],
    ['HTTP Basic without a secret', async () => forService(await signed(), basic(app.id, ''))],
    ['no type', async () => forService({ client_assertion: await assertion() })],
    [
      'the type of SAML',
      async () =>
        forService({
          ...(await signed()),
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
        }),
    ],
    ['a type alone', async () => forService({ client_assertion_type: (await signed())['client_assertion_type']! })],
  ])('refuses an assertion with %s as invalid_request', async (_what, send) => {
    expect(refusal(await send())).toEqual([400, 'invalid_request']);
  });

  it('accepts an assertion once', async () => {
    const fields = await signed();
    expect((await forService(fields)).status).toBe(200);
    expect(refusal(await forService(fields))).toEqual(INVALID_CLIENT);
    expect(refusal(await post('/token/introspect', { token: 'x', ...fields }))).toEqual(INVALID_CLIENT);
  });

  it('uses up a proof once where two requests come in the same batch', async () => {
    const spent = service.nest.get(SpentProofs, { strict: false });
    const spend = (jti: string) => spent.spend({ kind: 'assertion', owner: app.id, jti }, clock.seconds() + MINUTE);
    const [twice, ...others] = [unique(), unique(), unique()];
    // The first two keep both batches busy, so the next two wait and go together.
    const [first, second, ...same] = await Promise.all([...others, twice!, twice!].map(spend));
    expect([first, second, same.sort()]).toEqual([true, true, [false, true]]);
  });

  it('accepts the jti of another client', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } });
    const claims = { jti: `shared-${unique()}` };
    expect((await forService(await signed({ claims }))).status).toBe(200);
    expect((await forService(await signed({ claims }, client))).status).toBe(200);
  });

  it('refuses the assertion of an app that authenticates with its secret, and ends the secret with the change', async () => {
    const client = await world.app(tenant, { config: { client_type: 'confidential', jwks: { keys: [key.jwk] } } });
    expect(refusal(await forService(await signed({}, client)))).toEqual(INVALID_CLIENT);
    const bySecret = () => forService({ client_id: client.id, client_secret: client.secret });
    expect((await bySecret()).status).toBe(200);
    const change = (method: string | null) =>
      world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { token_endpoint_auth_method: method } });
    await change('private_key_jwt');
    expect(refusal(await bySecret())).toEqual(INVALID_CLIENT);
    expect((await forService(await signed({}, client))).status).toBe(200);
    await change(null);
    expect((await bySecret()).status).toBe(200);
    expect(refusal(await forService(await signed({}, client)))).toEqual(INVALID_CLIENT);
    const changes = await world.sql<{ config: string[] }>(
      "SELECT metadata -> 'config' AS config FROM audit_entries WHERE app_id = $1 AND action = 'app.updated'",
      [client.id],
    );
    expect(changes.map(({ config }) => config)).toEqual([
      ['token_endpoint_auth_method'],
      ['token_endpoint_auth_method'],
    ]);
  });

  it('refuses a key that was taken away, with the answer to the change', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } });
    const next = newClientKey();
    await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { jwks: { keys: [next.jwk] } } });
    expect(refusal(await forService(await signed({}, client)))).toEqual(INVALID_CLIENT);
    expect((await forService(await signed({}, client, next))).status).toBe(200);
  });

  it('refuses an app that is switched off', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } });
    await world.asAdmin('PUT', `/admin/apps/${client.id}`, { is_active: false });
    expect(refusal(await forService(await signed({}, client)))).toEqual(INVALID_CLIENT);
  });

  describe('keys of an app', () => {
    const rsa = newClientKey('RS256');
    const small = { kty: 'RSA', n: Buffer.alloc(128, 0xc5).toString('base64url'), e: 'AQAB' };

    it.each<[string, Record<string, unknown>, string]>([
      ['none', {}, 'token_endpoint_auth_method'],
      ['both ways', { jwks: { keys: [key.jwk] }, jwks_uri: `https://${HOST}/keys` }, 'jwks_uri'],
      ['an empty set', { jwks: { keys: [] } }, 'jwks'],
      ['no set', { jwks: {} }, 'jwks'],
      ['a private key', { jwks: { keys: [key.privateKey.export({ format: 'jwk' })] } }, 'jwks'],
      ['a shared secret', { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'jwks'],
      ['a key for encryption', { jwks: { keys: [{ ...key.jwk, use: 'enc' }] } }, 'jwks'],
      ['a symmetric algorithm', { jwks: { keys: [{ ...rsa.jwk, alg: 'HS256' }] } }, 'jwks'],
      ['RSA of 1024 bits', { jwks: { keys: [small] } }, 'jwks'],
      ['another curve', { jwks: { keys: [{ ...key.jwk, crv: 'secp256k1' }] } }, 'jwks'],
      ['a point that is not on the curve', { jwks: { keys: [{ ...key.jwk, x: key.jwk['y'] }] } }, 'jwks'],
      [
        'two without a name',
        { jwks: { keys: [key, newClientKey()].map(({ jwk }) => ({ ...jwk, kid: undefined })) } },
        'jwks',
      ],
      ['two of one name', { jwks: { keys: [key.jwk, key.jwk] } }, 'jwks'],
      ['more than 20', { jwks: { keys: Array.from({ length: 21 }, () => ({ ...key.jwk, kid: undefined })) } }, 'jwks'],
      ['http', { jwks_uri: `http://${HOST}/keys` }, 'jwks_uri'],
      ['a private address', { jwks_uri: 'https://10.0.0.1/keys' }, 'jwks_uri'],
      ['a name inside', { jwks_uri: 'https://localhost/keys' }, 'jwks_uri'],
    ])('are refused: %s', async (_what, keys, field) => {
      const config = { client_type: 'confidential', token_endpoint_auth_method: 'private_key_jwt', ...keys };
      const body = { name: 'x', tenant_id: tenant.id, bundle_id: `com.example.${unique()}`, config };
      const answer = await world.call<{ detail: { loc: unknown[] }[] }>('POST', '/admin/apps', body, {
        token: world.admin.token,
      });
      expect([answer.status, answer.body.detail?.[0]?.loc]).toEqual([422, ['body', 'config', field]]);
      expect(JSON.stringify(answer.body)).not.toContain(String(key.privateKey.export({ format: 'jwk' }).d));
    });

    it.each(['public', null])('are refused for client_type %s', async (clientType) => {
      await expect(keyedApp({ jwks: { keys: [key.jwk] } }, { client_type: clientType })).rejects.toThrow('→ 422');
    });

    it('are stored without members that are not needed', async () => {
      const client = await keyedApp({ jwks: { keys: [{ ...key.jwk, use: 'sig', x5c: ['x'], note: 'n' }], more: 1 } });
      const { config } = await world.asAdmin<{ config: { jwks: unknown } }>('PUT', `/admin/apps/${client.id}`, {});
      expect(config.jwks).toEqual({ keys: [key.jwk] });
    });

    it('can be set by no service token, which may send back what it has read', async () => {
      const client = await world.app(tenant);
      const server = await world.app(tenant, { service_scopes: ['apps:read', 'apps:write'] });
      const token = await world.serviceToken(server);
      const path = `/admin/apps/${client.id}`;
      const send = (config: object) => world.call('PUT', path, { config }, { token });
      const { token_endpoint_auth_method, jwks, jwks_uri } = (
        await world.asAdmin<{ config: Record<string, unknown> }>('PUT', path, {})
      ).config;
      expect((await send({ token_endpoint_auth_method, jwks, jwks_uri })).status).toBe(200);
      expect((await send({ jwks: { keys: [key.jwk] } })).status).toBe(403);
      expect((await send({ jwks_uri: `https://${HOST}/keys` })).status).toBe(403);
    });

    it('need a sign-in from the last 15 minutes', async () => {
      const client = await world.app(tenant);
      const { refresh_token } = await world.tokens(world.admin, world.platformConsoleId);
      clock.advance(16 * MINUTE);
      try {
        const fresh = await world.call<Tokens>('POST', '/token/refresh', {
          refresh_token,
          app_id: world.platformConsoleId,
        });
        const send = (config: object) =>
          world.call('PUT', `/admin/apps/${client.id}`, { config }, { token: fresh.body.access_token });
        expect((await send({ require_pkce: true, jwks: null })).status).toBe(200);
        const due = await send({ jwks: { keys: [key.jwk] } });
        expect([due.status, due.body]).toEqual([403, { detail: { error: 'reauthentication_required' } }]);
        // Likewise that users are no longer asked for consent (docs/decisions/0076).
        expect((await send({ third_party: true })).status).toBe(200);
        expect((await send({ third_party: false })).status).toBe(403);
      } finally {
        clock.advance(-16 * MINUTE);
      }
    });

    it('of an app admin never open the tenant (docs/decisions/0015)', async () => {
      const client = await world.app(tenant);
      const admin = await world.user(client, { roles: ['admin'] });
      const { access_token: token } = await world.tokens(admin, client.id);
      const own = {
        config: {
          client_type: 'confidential',
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [key.jwk] },
        },
      };
      const path = `/admin/apps/${client.id}`;
      expect((await world.call('PUT', path, own, { token })).status).toBe(200);
      const grant = { service_scopes: ['apps:write'] };
      const tooEarly = await world.call('PUT', path, grant, { token: world.admin.token });
      expect([tooEarly.status, tooEarly.body]).toEqual([409, { detail: 'Replace the keys of the app first' }]);
      // The method off and on again leaves the app admin's key in place.
      for (const method of [null, 'private_key_jwt'])
        await world.asAdmin('PUT', path, { config: { token_endpoint_auth_method: method } });
      // So does a second key beside it, under another name.
      const beside = { keys: [{ ...key.jwk, kid: 'renamed' }, newClientKey().jwk] };
      await world.asAdmin('PUT', path, { config: { jwks: beside } });
      expect((await world.call('PUT', path, grant, { token: world.admin.token })).status).toBe(409);
      await world.asAdmin('PUT', path, { config: { jwks: { keys: [newClientKey().jwk] } } });
      await world.asAdmin('PUT', path, grant);
      expect((await world.call('PUT', path, own, { token })).status).toBe(403);
    });
  });

  describe('jwks_uri', () => {
    let moved = 0;
    const later = (seconds: number) => {
      clock.advance(seconds);
      moved += seconds;
    };

    afterEach(() => {
      clock.advance(-moved);
      moved = 0;
    });

    const standing = (...keys: ClientKeyPair[]) => {
      const path = `/${unique()}`;
      const publish = (...published: ClientKeyPair[]) =>
        host.on(path, (response) =>
          response.writeHead(200).end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) })),
        );
      publish(...keys);
      return { uri: `https://${HOST}${path}`, publish, path, asked: () => host.to(path).length };
    };
    const works = async (client: TestClient, by: ClientKeyPair) =>
      (await forService(await signed({}, client, by))).status === 200;

    it('is requested once and its keys are remembered', async () => {
      const { uri, asked } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      expect(asked()).toBe(0);
      for (let time = 0; time < 3; time++) expect(await works(client, key)).toBe(true);
      expect(asked()).toBe(1);
    });

    it('is asked again for a key that is not known, a minute apart', async () => {
      const [next, last] = [newClientKey(), newClientKey()];
      const { uri, publish, asked } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      expect(await works(client, key)).toBe(true);
      publish(key, next);
      expect([await works(client, next), asked()]).toEqual([false, 1]);
      later(MINUTE);
      expect([await works(client, next), await works(client, last), asked()]).toEqual([true, false, 2]);
    });

    it('is asked again after ten minutes, so that a key that was taken away stops', async () => {
      const { uri, publish } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      expect(await works(client, key)).toBe(true);
      publish(newClientKey());
      later(9 * MINUTE);
      expect(await works(client, key)).toBe(true);
      later(MINUTE);
      expect(await works(client, key)).toBe(false);
    });

    it('may fail for an hour', async () => {
      const { uri, path, asked } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      expect(await works(client, key)).toBe(true);
      host.on(path, 503);
      later(59 * MINUTE);
      expect([await works(client, key), await works(client, key), asked()]).toEqual([true, true, 2]);
      later(MINUTE);
      expect(await works(client, key)).toBe(false);
    });

    it.each<[string, (uri: string, path: string) => string]>([
      ['answers with an error', (uri, path) => (host.on(path, 500), uri)],
      ['redirects', (uri, path) => (host.on(path, (r) => r.writeHead(302, { location: uri }).end()), uri)],
      ['answers with no JSON', (uri, path) => (host.on(path, (r) => r.writeHead(200).end('<html>')), uri)],
      [
        'answers with too much',
        (uri, path) => (host.on(path, (r) => r.writeHead(200).end(' '.repeat(65 * 1024))), uri),
      ],
      ['leads to a private address', (_uri, path) => `https://inside.example${path}`],
    ])('opens nothing where it %s', async (_what, prepare) => {
      const { uri, path } = standing(key);
      const client = await keyedApp({ jwks_uri: prepare(uri, path) });
      expect(refusal(await forService(await signed({}, client)))).toEqual(INVALID_CLIENT);
      expect(network.contacts).toBe(0);
    });

    it('opens nothing where the app has other keys before it answers', async () => {
      const { uri, path } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      let answerNow = () => undefined as void;
      host.on(path, (response) => {
        answerNow = () => void response.writeHead(200).end(JSON.stringify({ keys: [key.jwk] }));
      });
      const answer = forService(await signed({}, client));
      await host.count(path, 1);
      await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { jwks_uri: standing(newClientKey()).uri } });
      answerNow();
      expect(refusal(await answer)).toEqual(INVALID_CLIENT);
    });

    it('is not requested for an assertion that is no good anyway', async () => {
      const { uri, asked } = standing(key);
      const client = await keyedApp({ jwks_uri: uri });
      expect(refusal(await forService(await signed({ claims: { aud: 'https://other.example' } }, client)))).toEqual(
        INVALID_CLIENT,
      );
      expect(asked()).toBe(0);
    });
  });

  it.each(['openid-configuration', 'oauth-authorization-server'])('is published in %s', async (name) => {
    const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
    expect((await world.call('GET', `/.well-known/${name}`)).body).toMatchObject({
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    });
  });

  it('signs users in by openid-client, with a pushed request', async () => {
    const client = await keyedApp({ jwks: { keys: [key.jwk] } }, { require_par: true });
    const member = await world.user(client);
    const privateKey = await crypto.subtle.importKey(
      'jwk',
      key.privateKey.export({ format: 'jwk' }),
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign'],
    );
    const config = await oidc.discovery(
      new URL(service.baseUrl),
      client.id,
      undefined,
      oidc.PrivateKeyJwt({ key: privateKey, kid: key.jwk['kid'] as string }),
      { execute: [oidc.allowInsecureRequests] },
    );
    const url = await oidc.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: client.redirectUri,
      scope: 'openid',
      state: 'pushed',
      ...PKCE,
    });
    const browser = new HostedBrowser(service.baseUrl);
    const begun = await browser.get(url.pathname + url.search);
    const page = begun.location?.startsWith('/sign-in/') ? await browser.get(begun.location) : begun;
    const end = await browser.submit(page, { email: member.email, password: member.password });
    const tokens = await oidc.authorizationCodeGrant(config, new URL(end.location!), {
      pkceCodeVerifier: VERIFIER,
      expectedState: 'pushed',
    });
    expect(tokens.claims()?.sub).toBe(member.id);
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    expect((await oidc.tokenIntrospection(config, refreshed.access_token)).active).toBe(true);
    await oidc.tokenRevocation(config, refreshed.refresh_token!);
    expect((await oidc.tokenIntrospection(config, refreshed.access_token)).active).toBe(false);
  });

  function unsigned(client: TestClient, header: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: client.id, sub: client.id, aud: service.baseUrl, jti: randomUUID(), exp: now() + MINUTE };
    return `${part(header)}.${part(claims)}.`;
  }

  it('leads nowhere from the sign-in page of the app alone', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const end = await browser.signIn(loginPath(app, PKCE), user.email, user.password);
    const fields = { code: end.delivered.get('code')!, app_id: app.id, code_verifier: VERIFIER };
    expect((await post('/token/exchange', fields)).status).toBe(401);
  });
});
