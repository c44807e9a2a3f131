import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import { hashOpaqueToken } from '../../../src/crypto/opaque-token.js';
import { Clock } from '../../../src/common/clock.js';
import { allowDevice, beginDevice, deviceApp, pollDevice } from '../../support/device-grant.js';
import { signedUnder } from '../../support/client-keys.js';
import { type DpopKeyPair, newDpopKey, newProof, type ProofParts } from '../../support/dpop.js';
import { FakeClock } from '../../support/fake-clock.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { testSettings } from '../../support/test-settings.js';
import {
  type Answer,
  type TestUser,
  type TestClient,
  type TestTenant,
  type Tokens,
  unique,
  World,
} from '../../support/world.js';

const MINUTE = 60;
const LIMIT = 200;
const LIMIT_OF_KEY = 30;
const LIMIT_OF_SERVER = 35;
/** OAuth errors of a proof, at the token endpoint and where an access token is presented. */
const BAD_PROOF = [400, 'invalid_dpop_proof'];
const NONCE_MISSING = [400, 'use_dpop_nonce'];

type TokenAnswer = Answer<Tokens & Failure>;

describe('DPoP (RFC 9449)', () => {
  let database: TestDatabase;
  let clock: FakeClock;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let server: TestClient;
  let spa: TestClient;
  let user: TestUser;
  let colleague: TestUser;
  let key: DpopKeyPair;
  let other: DpopKeyPair;

  beforeAll(async () => {
    database = await freshDatabase();
    clock = new FakeClock();
    const { rateLimits } = testSettings();
    const overrides = {
      ...rateLimits.overrides,
      dpop_ip: { points: LIMIT, seconds: 600 },
      dpop_key: { points: LIMIT_OF_KEY, seconds: 600 },
      dpop_server_key: { points: LIMIT_OF_SERVER, seconds: 600 },
      client_credentials: { points: 1_000, seconds: 60 },
      code_failures: { points: 1_000, seconds: 60 },
    };
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { ...rateLimits, overrides } },
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    server = await world.app(tenant, { config: { client_type: 'confidential' } });
    spa = await world.app(tenant, { config: { client_type: 'public' } });
    user = await world.user(spa, { roles: ['admin'] });
    colleague = await world.user(server);
    [key, other] = await Promise.all([newDpopKey(), newDpopKey()]);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const url = (path: string) => `${service.baseUrl}${path}`;
  const nonces = new Map<number, string>();
  /** Any request with a proof brings the nonce of the next, the same in one minute. */
  const nonce = async () => {
    const minute = Math.floor(clock.seconds() / MINUTE);
    if (!nonces.has(minute)) {
      const answer = await fetch(url('/userinfo'), { headers: { DPoP: 'x' } });
      nonces.set(minute, answer.headers.get('dpop-nonce')!);
    }
    return nonces.get(minute)!;
  };
  const proof = async (path: string, by = key, parts: ProofParts = {}, accessToken?: string, htm = 'POST') => {
    const claims = { iat: clock.seconds(), ...parts.claims };
    return newProof(by, { htm, htu: url(path), nonce: await nonce(), accessToken }, { ...parts, claims });
  };
  const forService = (headers: Record<string, string>): Promise<TokenAnswer> =>
    postForm(
      url('/auth/token'),
      { grant_type: 'client_credentials' },
      { ...basic(server.id, server.secret), ...headers },
    );
  const exchange = (client: TestClient, code: string, headers: Record<string, string> = {}): Promise<TokenAnswer> => {
    const fields = { grant_type: 'authorization_code', code, client_id: client.id, code_verifier: VERIFIER };
    const authentication = client === server ? basic(client.id, client.secret) : {};
    return postForm(url('/auth/token'), fields, { ...authentication, ...headers });
  };
  const refresh = (
    client: TestClient,
    refresh_token: string,
    headers: Record<string, string> = {},
  ): Promise<TokenAnswer> => {
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: client.id };
    const authentication = client === server ? basic(client.id, client.secret) : {};
    return postForm(url('/auth/token'), fields, { ...authentication, ...headers });
  };
  const bound = async (client: TestClient, by = key): Promise<Tokens> => {
    const code = await newCode(world, client, client === server ? colleague : user, PKCE);
    const answer = await exchange(client, code, { DPoP: await proof('/auth/token', by) });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const call = async (path: string, token: string, scheme: string, dpop?: string) => {
    const headers = { Authorization: `${scheme} ${token}`, ...(dpop === undefined ? {} : { DPoP: dpop }) };
    const response = await fetch(url(path), { headers });
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate') ?? '',
      headers: response.headers,
    };
  };
  const proven = async (path: string, token: string, by = key, parts: ProofParts = {}) =>
    call(path, token, 'DPoP', await proof(path, by, parts, token, 'GET'));
  /** No proof, and one of another key. */
  const withoutKey = async (): Promise<Record<string, string>[]> => [{}, { DPoP: await proof('/auth/token', other) }];
  const refusal = ({ status, body }: { status: number; body: Failure }) => [status, body.error];

  describe('token endpoint', () => {
    it('binds access tokens of every grant to the key of the proof, and says so', async () => {
      const [byClient, byCode] = [await forService({ DPoP: await proof('/auth/token') }), await bound(server)];
      const again = await refresh(server, byCode.refresh_token, { DPoP: await proof('/auth/token') });
      for (const tokens of [byClient.body, byCode, again.body]) {
        expect(tokens.token_type).toBe('DPoP');
        expect(decodeJwt(tokens.access_token)['cnf']).toEqual({ jkt: key.jkt });
        const seen = await postForm<Record<string, unknown>>(
          url('/token/introspect'),
          { token: tokens.access_token },
          basic(server.id, server.secret),
        );
        expect(seen.body).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } });
      }
    });

    it('binds them at /token/exchange and /token/refresh as well', async () => {
      const fields = { code: await newCode(world, spa, user, PKCE), app_id: spa.id, code_verifier: VERIFIER };
      const first = await postJson<Tokens>(url('/token/exchange'), fields, { DPoP: await proof('/token/exchange') });
      const { refresh_token } = first.body;
      const second = await postJson<Tokens>(
        url('/token/refresh'),
        { refresh_token, app_id: spa.id },
        { DPoP: await proof('/token/refresh') },
      );
      for (const { body } of [first, second])
        expect([body.token_type, decodeJwt(body.access_token)['cnf']]).toEqual(['DPoP', { jkt: key.jkt }]);
    });

    it('asks for its nonce by the code of RFC 9449 at /token/exchange and /token/refresh, too', async () => {
      for (const path of ['/token/exchange', '/token/refresh']) {
        const fields = { code: 'x', refresh_token: 'x', app_id: spa.id };
        const missing = await postJson<Failure>(url(path), fields, {
          DPoP: await proof(path, key, { claims: { nonce: undefined } }),
        });
        expect([path, missing.status, missing.body.error]).toEqual([path, ...NONCE_MISSING]);
        const wrong = await postJson<Failure>(url(path), fields, { DPoP: 'x' });
        expect([path, wrong.status, wrong.body.error]).toEqual([path, ...BAD_PROOF]);
      }
    });

    it('binds what a device gets, the refresh token included', async () => {
      const client = await deviceApp(world, tenant);
      const member = await world.user(client);
      const device = await beginDevice(world, client);
      await allowDevice(world, member, device);
      const { body } = await pollDevice(service.baseUrl, client, device.device_code, {
        DPoP: await proof('/auth/token'),
      });
      expect([body.token_type, decodeJwt(body.access_token)['cnf']]).toEqual(['DPoP', { jkt: key.jkt }]);
      expect(refusal(await refresh(client, body.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    it('answers as ever without a proof', async () => {
      const answer = await forService({});
      expect([answer.status, answer.body.token_type, answer.headers.has('dpop-nonce')]).toEqual([200, 'bearer', false]);
      expect(decodeJwt(answer.body.access_token)['cnf']).toBeUndefined();
      const tokens = (await exchange(server, await newCode(world, server, colleague, PKCE))).body;
      expect([tokens.token_type, decodeJwt(tokens.access_token)['cnf']]).toEqual(['Bearer', undefined]);
    });

    it.each(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const)('accepts %s', async (alg) => {
      const own = await newDpopKey(alg);
      const { body } = await forService({ DPoP: await proof('/auth/token', own) });
      expect(decodeJwt(body.access_token)['cnf']).toEqual({ jkt: own.jkt });
    });

    it('asks for a nonce, and every answer brings one', async () => {
      const without = await forService({ DPoP: await proof('/auth/token', key, { claims: { nonce: undefined } }) });
      expect(refusal(without)).toEqual(NONCE_MISSING);
      const brought = without.headers.get('dpop-nonce')!;
      const good = await forService({ DPoP: await proof('/auth/token', key, { claims: { nonce: brought } }) });
      expect([good.status, good.headers.get('dpop-nonce')]).toEqual([200, brought]);
      expect(good.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce');
    });

    it('asks for another nonce in place of one with other letters than ours', async () => {
      const [step = '', code = ''] = (await nonce()).split('.');
      const wrong = `${step}.${'é'.repeat(code.length)}`;
      const answer = await forService({ DPoP: await proof('/auth/token', key, { claims: { nonce: wrong } }) });
      expect(refusal(answer)).toEqual(NONCE_MISSING);
    });

    it('accepts a nonce for four minutes, and no longer than five', async () => {
      const old = await nonce();
      const withOld = async () => forService({ DPoP: await proof('/auth/token', key, { claims: { nonce: old } }) });
      clock.advance(4 * MINUTE);
      try {
        expect((await withOld()).status).toBe(200);
        clock.advance(MINUTE);
        expect(refusal(await withOld())).toEqual(NONCE_MISSING);
      } finally {
        clock.advance(-5 * MINUTE);
      }
    });

    const bad: [string, () => ProofParts | Promise<ProofParts>, unknown[]][] = [
      ['no typ', () => ({ header: { typ: undefined } }), BAD_PROOF],
      ['the typ of another token', () => ({ header: { typ: 'JWT' } }), BAD_PROOF],
      ['another media type', () => ({ header: { typ: 'text/dpop+jwt' } }), BAD_PROOF],
      ['no key', () => ({ header: { jwk: undefined } }), BAD_PROOF],
      ['a private key', () => ({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } }), BAD_PROOF],
      ['the key of another client', () => ({ header: { jwk: other.jwk } }), BAD_PROOF],
      [
        'an algorithm of another kind of key',
        async () => ({ header: { jwk: (await newDpopKey('RS256')).jwk } }),
        BAD_PROOF,
      ],
      ['a critical header that is unknown', () => ({ header: { crit: ['x'], x: 1 } }), BAD_PROOF],
      ['another method', () => ({ claims: { htm: 'GET' } }), BAD_PROOF],
      ['no method', () => ({ claims: { htm: undefined } }), BAD_PROOF],
      ['another endpoint', () => ({ claims: { htu: url('/token/exchange') } }), BAD_PROOF],
      ['another host', () => ({ claims: { htu: 'https://other.example/auth/token' } }), BAD_PROOF],
      ['no address', () => ({ claims: { htu: undefined } }), BAD_PROOF],
      ['an address that is none', () => ({ claims: { htu: '/auth/token' } }), BAD_PROOF],
      ['no time', () => ({ claims: { iat: undefined } }), BAD_PROOF],
      ['a time long ago', () => ({ claims: { iat: clock.seconds() - 6 * MINUTE } }), BAD_PROOF],
      ['a time ahead', () => ({ claims: { iat: clock.seconds() + 6 * MINUTE } }), BAD_PROOF],
      ['no jti', () => ({ claims: { jti: undefined } }), BAD_PROOF],
      ['a jti of 257 characters', () => ({ claims: { jti: 'x'.repeat(257) } }), BAD_PROOF],
      ['a nonce that nobody gave', () => ({ claims: { nonce: 'made-up' } }), NONCE_MISSING],
      ['a nonce with another code', () => ({ claims: { nonce: `${minute()}.AAAAAAAAAAAAAAAAAAAAAA` } }), NONCE_MISSING],
      ['a nonce that is no text', () => ({ claims: { nonce: 7 as never } }), NONCE_MISSING],
    ];
    const minute = () => Math.floor(clock.seconds() / MINUTE).toString(36);

    it.each(bad)('refuses a proof with %s', async (_what, parts, expected) => {
      const text = await proof('/auth/token', key, await parts());
      expect(refusal(await forService({ DPoP: text }))).toEqual(expected);
    });

    it('refuses a proof with an unencoded payload (RFC 7797 section 7)', async () => {
      const same = signedUnder(await proof('/auth/token'), {}, key);
      expect((await forService({ DPoP: same })).status).toBe(200);
      const text = signedUnder(await proof('/auth/token'), { crit: ['b64'], b64: false }, key);
      expect(refusal(await forService({ DPoP: text }))).toEqual(BAD_PROOF);
    });

    it.each(['DPoP+JWT', 'application/dpop+jwt', 'Application/DPOP+jwt'])(
      'accepts %s as typ, which is a media type (RFC 7515 section 4.1.9)',
      async (typ) => {
        expect((await forService({ DPoP: await proof('/auth/token', key, { header: { typ } }) })).status).toBe(200);
      },
    );

    it.each([
      ['nothing', ''],
      ['no JWT', 'x'],
      ['an empty one', 'e30.e30.e30'],
      ['more than a header should', `${'a'.repeat(9_000)}.e30.e30`],
    ])('refuses %s as a proof', async (_what, text) => {
      expect(refusal(await forService({ DPoP: text }))).toEqual(BAD_PROOF);
    });

    it('refuses an unsigned proof, one signed with a shared secret, and two proofs', async () => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = {
        jti: randomUUID(),
        htm: 'POST',
        htu: url('/auth/token'),
        iat: clock.seconds(),
        nonce: await nonce(),
      };
      const signedBy = (alg: string, jwk: object) => {
        const input = `${part({ typ: 'dpop+jwt', alg, jwk })}.${part(claims)}`;
        return alg === 'none' ? `${input}.` : `${input}.${createHmac('sha256', 'k').update(input).digest('base64url')}`;
      };
      const secret = { kty: 'oct', k: Buffer.from('k').toString('base64url') };
      for (const text of [signedBy('none', key.jwk), signedBy('HS256', secret), signedBy('HS256', key.jwk)])
        expect(refusal(await forService({ DPoP: text }))).toEqual(BAD_PROOF);
      const [one, two] = [await proof('/auth/token'), await proof('/auth/token')];
      expect(refusal(await forService({ DPoP: `${one}, ${two}` }))).toEqual(BAD_PROOF);
    });

    it('accepts a proof once, and an address in another spelling', async () => {
      const htu = `${url('/auth/token').replace('http', 'HTTP')}?x=1#y`;
      const text = await proof('/auth/token', key, { claims: { htu } });
      expect((await forService({ DPoP: text })).status).toBe(200);
      expect(refusal(await forService({ DPoP: text }))).toEqual(BAD_PROOF);
    });

    it('does not use up a proof for a client that does not authenticate', async () => {
      const text = await proof('/auth/token');
      const wrong = { ...basic(server.id, 'wrong'), DPoP: text };
      expect((await postForm(url('/auth/token'), { grant_type: 'client_credentials' }, wrong)).status).toBe(401);
      expect((await forService({ DPoP: text })).status).toBe(200);
    });
  });

  describe('code', () => {
    const thumbprint = () => ({ ...PKCE, dpop_jkt: key.jkt });

    it('that was asked for with dpop_jkt works with that key only', async () => {
      for (const headers of await withoutKey()) {
        const code = await newCode(world, spa, user, thumbprint());
        expect(refusal(await exchange(spa, code, headers))).toEqual([400, 'invalid_grant']);
        expect(refusal(await exchange(spa, code, { DPoP: await proof('/auth/token') }))).toEqual([
          400,
          'invalid_grant',
        ]);
      }
      const code = await newCode(world, spa, user, thumbprint());
      expect((await exchange(spa, code, { DPoP: await proof('/auth/token') })).body.token_type).toBe('DPoP');
    });

    it.each<[string, () => Promise<Record<string, string>>, () => Record<string, string>]>([
      ['the parameter', async () => ({}), () => ({ dpop_jkt: key.jkt })],
      ['a proof', async () => ({ DPoP: await proof('/auth/par') }), () => ({})],
      ['both', async () => ({ DPoP: await proof('/auth/par') }), () => ({ dpop_jkt: key.jkt })],
    ])('is bound by a pushed request with %s', async (_what, headers, fields) => {
      const asked = { client_id: spa.id, response_type: 'code', redirect_uri: spa.redirectUri, ...PKCE, ...fields() };
      const pushed = await postForm<{ request_uri: string }>(url('/auth/par'), asked, await headers());
      expect(pushed.status).toBe(201);
      const browser = new HostedBrowser(service.baseUrl);
      const query = new URLSearchParams({ client_id: spa.id, request_uri: pushed.body.request_uri });
      const begun = await browser.get(`/login?${query.toString()}`);
      const page = begun.location?.startsWith('/sign-in/') ? await browser.get(begun.location) : begun;
      const end = await browser.submit(page, { email: user.email, password: user.password });
      const code = end.delivered.get('code')!;
      const [bind] = await world.sql<{ dpop_jkt: string }>(
        'SELECT dpop_jkt FROM authorization_codes WHERE app_id = $1 ORDER BY created_at DESC LIMIT 1',
        [spa.id],
      );
      expect(bind!.dpop_jkt).toBe(key.jkt);
      expect((await exchange(spa, code, { DPoP: await proof('/auth/token') })).status).toBe(200);
    });

    it('is not pushed for another key than that of the proof, nor with a bad proof', async () => {
      const asked = { client_id: spa.id, response_type: 'code', redirect_uri: spa.redirectUri, ...PKCE };
      const push = async (fields: object, dpop: string) =>
        refusal(await postForm(url('/auth/par'), { ...asked, ...fields }, { DPoP: dpop }));
      expect(await push({ dpop_jkt: other.jkt }, await proof('/auth/par'))).toEqual([400, 'invalid_request']);
      expect(await push({}, await proof('/auth/token'))).toEqual(BAD_PROOF);
      const once = await proof('/auth/par');
      await postForm(url('/auth/par'), asked, { DPoP: once });
      expect(await push({}, once)).toEqual(BAD_PROOF);
    });

    it('is not issued for a thumbprint that is none', async () => {
      const end = await new HostedBrowser(service.baseUrl).get(loginPath(spa, { ...PKCE, dpop_jkt: 'short' }));
      expect(end.delivered.get('error')).toBe('invalid_request');
    });
  });

  describe('refresh token', () => {
    it('of a public client works with its key only, and is not spent without', async () => {
      const { refresh_token } = await bound(spa);
      for (const headers of await withoutKey())
        expect(refusal(await refresh(spa, refresh_token, headers))).toEqual([400, 'invalid_grant']);
      const next = await refresh(spa, refresh_token, { DPoP: await proof('/auth/token') });
      expect([next.status, decodeJwt(next.body.access_token)['cnf']]).toEqual([200, { jkt: key.jkt }]);
      // The next one is bound, too.
      expect(refusal(await refresh(spa, next.body.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    it('of a client that authenticates is bound to the client and to no key', async () => {
      const { refresh_token } = await bound(server);
      const next = await refresh(server, refresh_token, { DPoP: await proof('/auth/token', other) });
      expect(decodeJwt(next.body.access_token)['cnf']).toEqual({ jkt: other.jkt });
      expect((await refresh(server, next.body.refresh_token)).body.token_type).toBe('Bearer');
    });

    it('of an app that need not authenticate is bound, also where the client has authenticated', async () => {
      const either = await world.app(tenant);
      const code = await newCode(world, either, await world.user(either), PKCE);
      const fields = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
      const headers = { ...basic(either.id, either.secret), DPoP: await proof('/auth/token') };
      const first: TokenAnswer = await postForm(url('/auth/token'), fields, headers);
      for (const wrong of await withoutKey())
        expect(refusal(await refresh(either, first.body.refresh_token, wrong))).toEqual([400, 'invalid_grant']);
      const next = await refresh(either, first.body.refresh_token, { DPoP: await proof('/auth/token') });
      expect(next.status).toBe(200);
    });

    it('of a confidential app is bound as soon as it need not authenticate any more', async () => {
      const changed = await world.app(tenant, { config: { client_type: 'confidential' } });
      const code = await newCode(world, changed, await world.user(changed), PKCE);
      const fields = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
      const headers = { ...basic(changed.id, changed.secret), DPoP: await proof('/auth/token') };
      const first: TokenAnswer = await postForm(url('/auth/token'), fields, headers);
      await world.asAdmin('PUT', `/admin/apps/${changed.id}`, { config: { client_type: null } });
      for (const wrong of await withoutKey())
        expect(refusal(await refresh(changed, first.body.refresh_token, wrong))).toEqual([400, 'invalid_grant']);
    });

    it('of a public client that began without a key is bound by the first refresh with a proof', async () => {
      const code = await newCode(world, spa, user, PKCE);
      for (const begun of [(await exchange(spa, code)).body, await world.tokens(user, spa.id)]) {
        const plain = await refresh(spa, begun.refresh_token);
        expect([plain.status, plain.body.token_type]).toEqual([200, 'Bearer']);
        const first = await refresh(spa, plain.body.refresh_token, { DPoP: await proof('/auth/token') });
        expect([first.status, decodeJwt(first.body.access_token)['cnf']]).toEqual([200, { jkt: key.jkt }]);
        for (const headers of await withoutKey())
          expect(refusal(await refresh(spa, first.body.refresh_token, headers))).toEqual([400, 'invalid_grant']);
        const next = await refresh(spa, first.body.refresh_token, { DPoP: await proof('/auth/token') });
        expect(next.status).toBe(200);
      }
    });

    it('of a confidential app stays without a key, also after a refresh with a proof', async () => {
      const changed = await world.app(tenant, { config: { client_type: 'confidential' } });
      const client_secret = changed.secret;
      let { refresh_token } = await world.tokens(await world.user(changed), changed.id, { client_secret });
      const next = async (headers: Record<string, string>) => {
        const fields = { grant_type: 'refresh_token', refresh_token };
        const authentication = basic(changed.id, changed.secret);
        const answer: TokenAnswer = await postForm(url('/auth/token'), fields, { ...authentication, ...headers });
        refresh_token = answer.body.refresh_token;
        return answer.status;
      };
      for (const headers of [{ DPoP: await proof('/auth/token') }, ...(await withoutKey())])
        expect(await next(headers)).toBe(200);
      await world.asAdmin('PUT', `/admin/apps/${changed.id}`, { config: { client_type: null } });
      expect(await next({})).toBe(200);
    });

    it('of a sign-in from before dpop_bound_access_tokens is bound by its first refresh', async () => {
      const client = await world.app(tenant);
      const { refresh_token } = await world.tokens(await world.user(client), client.id);
      await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { dpop_bound_access_tokens: true } });
      const first = await refresh(client, refresh_token, { DPoP: await proof('/auth/token') });
      const stolen = await refresh(client, first.body.refresh_token, { DPoP: await proof('/auth/token', other) });
      expect([first.status, ...refusal(stolen)]).toEqual([200, 400, 'invalid_grant']);
    });

    describe('of a public client with a grace period', () => {
      let client: TestClient;
      let member: TestUser;
      /** A sign-in without a key, whose token was used once. */
      let used: string;
      let child: string;

      beforeEach(async () => {
        client = await world.app(tenant, { config: { client_type: 'public', refresh_grace_seconds: 60 } });
        member = await world.user(client);
        used = (await world.tokens(member, client.id)).refresh_token;
        child = (await refresh(client, used)).body.refresh_token;
      });

      const bindings = () =>
        world.sql('SELECT dpop_jkt FROM refresh_families WHERE app_id = $1 AND revoked_at IS NULL', [client.id]);
      /** Sends both while another transaction holds the sign-in, so that neither has seen the key of the other. */
      const atOnce = async (tokens: readonly [string, string]): Promise<[TokenAnswer, TokenAnswer]> => {
        const proofs = [await proof('/auth/token', key), await proof('/auth/token', other)];
        const release = await holdRows(database.url, 'SELECT 1 FROM refresh_families WHERE app_id = $1 FOR UPDATE', [
          client.id,
        ]);
        try {
          const one = refresh(client, tokens[0], { DPoP: proofs[0]! });
          await waitersForLocks(world, 1);
          const two = refresh(client, tokens[1], { DPoP: proofs[1]! });
          await waitersForLocks(world, 2);
          await release();
          return await Promise.all([one, two]);
        } catch (error) {
          await release();
          throw error;
        }
      };

      it('is bound by a second use with a proof as well, the other successors included', async () => {
        const second = await refresh(client, used, { DPoP: await proof('/auth/token') });
        expect([second.status, decodeJwt(second.body.access_token)['cnf']]).toEqual([200, { jkt: key.jkt }]);
        for (const token of [child, second.body.refresh_token])
          for (const headers of await withoutKey())
            expect(refusal(await refresh(client, token, headers))).toEqual([400, 'invalid_grant']);
        for (const token of [child, second.body.refresh_token])
          expect((await refresh(client, token, { DPoP: await proof('/auth/token') })).status).toBe(200);
      });

      it('is not bound by a use that is refused after all successors', async () => {
        for (let n = 0; n < 20; n++) expect((await refresh(client, used)).status).toBe(200);
        const beyond = await refresh(client, used, { DPoP: await proof('/auth/token') });
        expect(refusal(beyond)).toEqual([400, 'invalid_grant']);
        expect(await bindings()).toEqual([{ dpop_jkt: null }]);
        expect((await refresh(client, child)).status).toBe(200);
      });

      it('is bound to one of two keys that two refreshes bring at once, and the other token is not spent', async () => {
        const sibling = (await refresh(client, used)).body.refresh_token;
        const answers = await atOnce([child, sibling]);
        expect(answers.map(refusal)).toEqual([
          [200, undefined],
          [400, 'invalid_grant'],
        ]);
        expect(await bindings()).toEqual([{ dpop_jkt: key.jkt }]);
        expect((await refresh(client, sibling, { DPoP: await proof('/auth/token') })).status).toBe(200);
      });

      it('is not bound, and issues nothing, if a revocation at the same time is first', async () => {
        const release = await holdRows(
          database.url,
          `UPDATE refresh_families SET revoked_at = now(), revoked_for = 'admin' WHERE app_id = $1`,
          [client.id],
        );
        try {
          const answer = refresh(client, child, { DPoP: await proof('/auth/token') });
          await waitersForLocks(world, 1);
          await release();
          expect(refusal(await answer)).toEqual([400, 'invalid_grant']);
        } finally {
          await release().catch(() => undefined);
        }
        expect(await world.sql('SELECT dpop_jkt FROM refresh_families WHERE app_id = $1', [client.id])).toEqual([
          { dpop_jkt: null },
        ]);
      });

      it('gives one successor where two second uses bring two keys at once', async () => {
        const answers = await atOnce([used, used]);
        expect(answers.map(({ status }) => status)).toEqual([200, 400]);
        // The other one is a replay by another key, as at any other time.
        expect(await bindings()).toEqual([]);
      });
    });

    it('that was stolen ends the sign-in when it is used twice, key or not', async () => {
      const { refresh_token } = await bound(spa);
      const next = await refresh(spa, refresh_token, { DPoP: await proof('/auth/token') });
      expect(refusal(await refresh(spa, refresh_token))).toEqual([400, 'invalid_grant']);
      const last = await refresh(spa, next.body.refresh_token, { DPoP: await proof('/auth/token') });
      expect(refusal(last)).toEqual([400, 'invalid_grant']);
    });
  });

  describe('access token', () => {
    /** Routes by which each kind of guard takes an access token. */
    const routes = () => ['/userinfo', '/admin/apps'];

    it('that is bound opens with a proof of its key, and as a bearer token nowhere', async () => {
      const { access_token: token } = await bound(spa);
      for (const path of routes()) {
        expect([path, (await proven(path, token)).status]).toEqual([path, 200]);
        for (const [scheme, dpop] of [
          ['Bearer', undefined],
          ['Bearer', await proof(path, key, {}, token, 'GET')],
          ['DPoP', undefined],
        ] as const) {
          const { status, challenge } = await call(path, token, scheme, dpop);
          expect([path, scheme, status, challenge.split(',')[0]]).toEqual([
            path,
            scheme,
            401,
            scheme === 'DPoP' ? 'DPoP error="invalid_dpop_proof"' : 'DPoP error="invalid_token"',
          ]);
          expect(challenge).toContain('algs="RS256 PS256 ES256 EdDSA Ed25519"');
        }
      }
    });

    it('of a service opens with a proof, and as a bearer token nowhere', async () => {
      const { body } = await forService({ DPoP: await proof('/auth/token') });
      const path = `/admin/users?app_id=${server.id}`;
      expect((await proven(path, body.access_token)).status).toBe(200);
      expect((await call(path, body.access_token, 'Bearer')).status).toBe(401);
    });

    it('that is bound to no key does not open by the scheme DPoP', async () => {
      const { access_token: token } = await world.tokens(user, spa.id);
      for (const path of routes()) {
        expect((await call(path, token, 'Bearer')).status).toBe(200);
        const { status, challenge } = await proven(path, token);
        expect([path, status, challenge.split(',')[0]]).toEqual([path, 401, 'DPoP error="invalid_token"']);
      }
    });

    const bad: [string, () => Promise<ProofParts> | ProofParts, string, (() => DpopKeyPair)?][] = [
      ['of another key', () => ({}), 'invalid_token', () => other],
      ['without ath', () => ({ claims: { ath: undefined } }), 'invalid_dpop_proof'],
      ['for another token', () => ({ claims: { ath: 'x'.repeat(43) } }), 'invalid_dpop_proof'],
      ['for another method', () => ({ claims: { htm: 'POST' } }), 'invalid_dpop_proof'],
      ['for another address', () => ({ claims: { htu: url('/auth/token') } }), 'invalid_dpop_proof'],
      ['of long ago', () => ({ claims: { iat: clock.seconds() - 6 * MINUTE } }), 'invalid_dpop_proof'],
      ['without a nonce', () => ({ claims: { nonce: undefined } }), 'use_dpop_nonce'],
      ['with another signature', () => ({ key: other.privateKey }), 'invalid_dpop_proof'],
    ];

    it.each(bad)('is refused with a proof %s', async (...[, parts, error, by]) => {
      const { access_token: token } = await bound(spa);
      for (const path of routes()) {
        const { status, challenge, headers } = await proven(path, token, by?.(), await parts());
        expect([path, status, challenge.split(',')[0]]).toEqual([path, 401, `DPoP error="${error}"`]);
        expect(headers.get('dpop-nonce')).not.toBeNull();
      }
    });

    it('is refused with a proof that was used', async () => {
      const { access_token: token } = await bound(spa);
      const text = await proof('/userinfo', key, {}, token, 'GET');
      expect((await call('/userinfo', token, 'DPoP', text)).status).toBe(200);
      const again = await call('/userinfo', token, 'DPoP', text);
      expect([again.status, again.challenge.split(',')[0]]).toEqual([401, 'DPoP error="invalid_dpop_proof"']);
    });

    it('is limited by its key at every route, and a refused proof is no row and can be sent later', async () => {
      const own = await newDpopKey();
      const { access_token: token } = await bound(spa, own);
      const rows = async () =>
        (await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM spent_proofs'))[0]!.count;
      for (let count = 0; count < LIMIT_OF_KEY; count++)
        expect((await proven(routes()[count % 2]!, token, own)).status).toBe(200);
      const before = await rows();
      for (const path of routes()) {
        const { status, headers } = await proven(path, token, own);
        expect([path, status, Number(headers.get('retry-after')) > 0]).toEqual([path, 429, true]);
      }
      const late = await proof('/userinfo', own, {}, token, 'GET');
      expect((await call('/userinfo', token, 'DPoP', late)).status).toBe(429);
      expect(await rows()).toBe(before);
      // Neither another key of the user nor another user with the key.
      expect((await proven('/userinfo', (await bound(spa)).access_token)).status).toBe(200);
      const theirs = (await bound(server, own)).access_token;
      expect((await proven('/userinfo', theirs, own)).status).toBe(200);
      // Nor does anyone without the key count.
      expect((await proven('/userinfo', theirs, other)).status).toBe(401);
      const once = await proof('/userinfo', own, {}, theirs, 'GET');
      for (const status of [200, 401, 401]) expect((await call('/userinfo', theirs, 'DPoP', once)).status).toBe(status);
      const countOf = async ({ id }: TestUser) => {
        const path = `/admin/users/${id}/rate-limits`;
        const { rate_limits } = await world.asAdmin<{ rate_limits: { label: string; key: string; count: number }[] }>(
          'GET',
          path,
        );
        return rate_limits.find(({ label, key }) => label === 'dpop_key' && key === `${id} ${own.jkt}`)?.count;
      };
      expect([await countOf(user), await countOf(colleague)]).toEqual([LIMIT_OF_KEY, 2]);
      await world.asAdmin('POST', `/admin/users/${user.id}/rate-limits/clear`);
      expect((await call('/userinfo', token, 'DPoP', late)).status).toBe(200);
    });

    it('has a higher limit of its own if it is the service token of an app', async () => {
      const own = await newDpopKey();
      const { access_token: token } = (await forService({ DPoP: await proof('/auth/token', own) })).body;
      const path = '/admin/users';
      const statuses = [];
      for (let count = 0; count <= LIMIT_OF_SERVER; count++) statuses.push((await proven(path, token, own)).status);
      expect(statuses).toEqual([...Array<number>(LIMIT_OF_SERVER).fill(200), 429]);
    });

    it('shows its key at /token/verify, where other tokens show nothing of it', async () => {
      const verify = async (token: string) =>
        (await world.call<{ claims: object }>('POST', '/token/verify', { token, audience: spa.id })).body.claims;
      expect(await verify((await bound(spa)).access_token)).toMatchObject({ cnf: { jkt: key.jkt } });
      expect(await verify((await world.tokens(user, spa.id)).access_token)).not.toHaveProperty('cnf');
    });
  });

  describe('dpop_bound_access_tokens', () => {
    it('refuses every request for tokens without a proof, and spends nothing', async () => {
      const client = await world.app(tenant, { config: { dpop_bound_access_tokens: true } });
      const member = await world.user(client);
      const code = await newCode(world, client, member, PKCE);
      const credentials = { client_id: client.id, client_secret: client.secret };
      const grants: Record<string, string>[] = [
        { grant_type: 'client_credentials', ...credentials },
        { grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...credentials },
        { grant_type: 'refresh_token', refresh_token: 'x', ...credentials },
      ];
      for (const fields of grants) expect(refusal(await postForm(url('/auth/token'), fields))).toEqual(BAD_PROOF);
      for (const [path, fields] of [
        ['/token/exchange', { code, app_id: client.id, code_verifier: VERIFIER }],
        ['/token/refresh', { refresh_token: 'x', app_id: client.id }],
      ] as const)
        expect((await postJson(url(path), fields)).status).toBe(400);
      const good = await postForm<Tokens>(url('/auth/token'), grants[1]!, { DPoP: await proof('/auth/token') });
      expect([good.status, good.body.token_type]).toEqual([200, 'DPoP']);
    });

    it('refuses sign-ins that return tokens at once', async () => {
      const redirectUri = `com.example.n${unique()}:/cb`;
      const config = { redirect_uris: [redirectUri], dpop_bound_access_tokens: true };
      const client = { ...(await world.app(tenant, { config })), redirectUri };
      const member = await world.user(client);
      expect((await world.login(member, client.id)).status).toBe(400);
      expect(await world.sql('SELECT id FROM refresh_families WHERE app_id = $1', [client.id])).toEqual([]);
      const end = await new HostedBrowser(service.baseUrl).signIn(loginPath(client), member.email, member.password);
      expect([...end.delivered.keys()]).toEqual(['code']);
    });

    it('refuses the refresh of a sign-in from before', async () => {
      const client = await world.app(tenant);
      const member = await world.user(client);
      const { refresh_token } = await world.tokens(member, client.id);
      await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { dpop_bound_access_tokens: true } });
      expect(refusal(await refresh(client, refresh_token))).toEqual(BAD_PROOF);
    });

    it('cannot be set for a Console app, whose sign-in has no proofs', async () => {
      const { access_token: token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
      for (const config of [{ dpop_bound_access_tokens: true }, { require_par: true }])
        expect((await world.call('PUT', `/admin/apps/${tenant.consoleAppId}`, { config }, { token })).status).toBe(403);
    });
  });

  it('is said by the metadata', async () => {
    const { body } = await world.call('GET', '/.well-known/oauth-authorization-server');
    expect(body['dpop_signing_alg_values_supported']).toEqual(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']);
  });

  it('carries openid-client through a pushed request, code, refresh and userinfo', async () => {
    const client = await world.app(tenant, {
      config: { client_type: 'public', require_par: true, dpop_bound_access_tokens: true },
    });
    const member = await world.user(client);
    const config = await oidc.discovery(new URL(service.baseUrl), client.id, undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    });
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair());
    const start = await oidc.buildAuthorizationUrlWithPAR(
      config,
      { redirect_uri: client.redirectUri, scope: 'openid email', state: 's', ...PKCE },
      { DPoP },
    );
    const browser = new HostedBrowser(service.baseUrl);
    const begun = await browser.get(start.pathname + start.search);
    const page = begun.location?.startsWith('/sign-in/') ? await browser.get(begun.location) : begun;
    const end = await browser.submit(page, { email: member.email, password: member.password });
    const checks = { pkceCodeVerifier: VERIFIER, expectedState: 's' };
    const tokens = await oidc.authorizationCodeGrant(config, new URL(end.location!), checks, undefined, { DPoP });
    const fresh = await oidc.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
    expect([tokens.token_type, fresh.token_type]).toEqual(['dpop', 'dpop']);
    const info = await oidc.fetchUserInfo(config, fresh.access_token, member.id, { DPoP });
    expect(info.email).toBe(member.email);
  });

  it('carries oauth4webapi through client credentials and the admin API', async () => {
    const as: oauth.AuthorizationServer = await world
      .call<oauth.AuthorizationServer>('GET', '/.well-known/oauth-authorization-server')
      .then(({ body }) => body);
    const client: oauth.Client = { client_id: server.id };
    const handle = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const options = { DPoP: handle, [oauth.allowInsecureRequests]: true };
    const grant = async () =>
      oauth.processClientCredentialsResponse(
        as,
        client,
        await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretBasic(server.secret), {}, options),
      );
    const tokens = await grant().catch((error: unknown) => {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return grant();
    });
    expect(tokens.token_type).toBe('dpop');
    const path = new URL(url(`/admin/users?app_id=${server.id}`));
    const ask = () => oauth.protectedResourceRequest(tokens.access_token, 'GET', path, new Headers(), null, options);
    const answer = await ask();
    expect(answer.status).toBe(200);
  });

  // The last: it uses up the limit.
  it('limits proofs of clients that do not authenticate, by network address', async () => {
    const answers: number[] = [];
    for (let count = 0; count < 2 * LIMIT && !answers.includes(429); count++) {
      const answer = await refresh(spa, 'unknown', { DPoP: await proof('/auth/token') });
      answers.push(answer.status);
    }
    expect(answers.at(-1)).toBe(429);
    const { body } = await refresh(spa, 'unknown', { DPoP: await proof('/auth/token') });
    expect(body).toEqual({ detail: 'too_many_requests', error: 'too_many_requests' });
    // A device that waits goes on polling (RFC 8628 section 3.5); one whose code will never give tokens stops.
    const tv = await deviceApp(world, tenant, { client_type: 'public' });
    const other = await deviceApp(world, tenant, { client_type: 'public' });
    const begun = async (change: string | null = null, device = tv) => {
      const { device_code } = await beginDevice(world, device);
      if (change)
        await world.sql(`UPDATE device_authorizations SET ${change} WHERE device_code_hash = $1`, [
          hashOpaqueToken(device_code),
        ]);
      return device_code;
    };
    for (const [state, code, error] of [
      ['waiting', await begun(), 'slow_down'],
      ['approved', await begun('approved_at = now()'), 'slow_down'],
      ['denied', await begun('denied_at = now()'), 'too_many_requests'],
      ['expired', await begun('expires_at = now()'), 'too_many_requests'],
      ['used', await begun('approved_at = now(), used_at = now()'), 'too_many_requests'],
      ['of another app', await begun(null, other), 'too_many_requests'],
      ['unknown', 'unknown', 'too_many_requests'],
    ] as const) {
      const polled = await pollDevice(world.baseUrl, tv, code, { DPoP: await proof('/auth/token') });
      const { detail, error: told } = polled.body;
      expect([state, polled.status, detail, told]).toEqual([state, 429, 'too_many_requests', error]);
      expect(Number(polled.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await forService({ DPoP: await proof('/auth/token') })).status).toBe(200);
  });
});
