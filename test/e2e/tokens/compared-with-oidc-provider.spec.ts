import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allowDevice, type DeviceAnswer, reachApproval } from '../../support/device-grant.js';
import { type DpopKeyPair, newDpopKey, newProof, type ProofParts } from '../../support/dpop.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { CHALLENGE, VERIFIER } from '../../support/one-time-code.js';
import { basic } from '../../support/post.js';
import {
  startComparedProvider,
  type ComparedClient,
  type ComparedProvider,
} from '../../support/servers/compared-provider.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, World } from '../../support/world.js';

const RESOURCE = 'urn:compared:orders';
const RESOURCE_SCOPES = ['orders:read', 'orders:write'];
const SERVICE_SCOPE = 'push:send';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

type Name = 'first' | 'second' | 'public';
type Fields = Record<string, string> | [string, string][];
type Tokens = Record<'access_token' | 'refresh_token', string>;

/** One of the two servers. */
interface Party {
  readonly metadata: Readonly<Record<string, string>>;
  readonly clients: Readonly<Record<Name, ComparedClient>>;
  /** A browser of its own goes there and signs in. @returns where it ends */
  visit(url: URL): Promise<{ readonly status: number; readonly location: URL | null }>;
  answerDevice(device: DeviceAnswer, isAllowed: boolean): Promise<unknown>;
}

interface Sent {
  readonly as?: Name | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is compared of an answer: not its texts, and not the values that must differ. */
type Compared = Readonly<Record<string, unknown>>;
type Step = (party: Party) => Promise<Compared>;

/** Texts are free (RFC 6749 section 5.2), and `detail` is in every refusal of ours (docs/conventions.md, section 1). */
const TEXTS = new Set(['error_description', 'detail']);

async function post(party: Party, endpoint: string, fields: Fields, { as = 'first', headers = {} }: Sent = {}) {
  const client = as === null ? null : party.clients[as];
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  const named: [string, string][] = client && client.secret === '' ? [['client_id', client.id]] : [];
  const response = await fetch(party.metadata[`${endpoint}_endpoint`]!, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(client && client.secret !== '' ? basic(client.id, client.secret) : {}),
      ...headers,
    },
    body: new URLSearchParams([...pairs, ...named]).toString(),
  });
  const text = await response.text();
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> & Tokens & DeviceAnswer;
  return { status: response.status, headers: response.headers, body };
}

function compared({ status, headers, body }: Awaited<ReturnType<typeof post>>): Compared {
  const { error, token_type, active } = body;
  return {
    status,
    ...(error === undefined ? {} : { error }),
    // Not case-sensitive (RFC 6749 section 5.1).
    ...(token_type === undefined ? {} : { token_type: String(token_type).toLowerCase() }),
    ...('access_token' in body ? { isStored: !/no-store/.test(headers.get('cache-control') ?? '') } : {}),
    ...(active === undefined ? {} : { active }),
    members: Object.keys(body)
      .filter((name) => !TEXTS.has(name))
      .sort(),
  };
}

const ask =
  (endpoint: string, fields: Fields, sent: Sent = {}): Step =>
  async (party) =>
    compared(await post(party, endpoint, fields, sent));
const token = (fields: Fields, sent: Sent = {}) => ask('token', fields, sent);

/** @param parameters an empty value leaves a parameter out */
async function authorize(party: Party, parameters: Record<string, string>, as: Name = 'first') {
  const { id, redirectUri } = party.clients[as];
  const all = {
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 'state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...parameters,
  };
  const url = new URL(party.metadata['authorization_endpoint']!);
  for (const [name, value] of Object.entries(all)) if (value !== '') url.searchParams.set(name, value);
  return party.visit(url);
}

function comparedEnd({ status, location }: Awaited<ReturnType<Party['visit']>>): Compared {
  if (location === null) return { isAtApp: false, status };
  // Answers to response_type=token are in the fragment (RFC 6749 section 4.2.2.1).
  const said = new URLSearchParams([...location.searchParams, ...new URLSearchParams(location.hash.slice(1))]);
  return {
    isAtApp: true,
    isInFragment: location.hash !== '',
    error: said.get('error'),
    members: [...said.keys()].filter((name) => !TEXTS.has(name)).sort(),
  };
}

const asks =
  (parameters: Record<string, string>, as: Name = 'first'): Step =>
  async (party) =>
    comparedEnd(await authorize(party, parameters, as));

async function codeOf(party: Party, parameters: Record<string, string> = {}, as: Name = 'first'): Promise<string> {
  const { location, status } = await authorize(party, parameters, as);
  const code = location?.searchParams.get('code');
  if (!code) throw new Error(`No code: ${status} ${location?.href}`);
  return code;
}

const redeem = (party: Party, code: string, more: Record<string, string> = {}, sent: Sent = {}) => {
  const { redirectUri } = party.clients[sent.as ?? 'first'];
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: VERIFIER,
    ...more,
  };
  return post(
    party,
    'token',
    Object.entries(fields).filter(([, value]) => value !== ''),
    sent,
  );
};

async function tokensOf(party: Party, parameters: Record<string, string> = {}, as: Name = 'first'): Promise<Tokens> {
  const { status, body } = await redeem(party, await codeOf(party, parameters, as), {}, { as });
  if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`);
  return body;
}

const refresh = (party: Party, refresh_token: string, more: Record<string, string> = {}, sent: Sent = {}) =>
  post(party, 'token', { grant_type: 'refresh_token', refresh_token, ...more }, sent);

async function deviceOf(
  party: Party,
  fields: Record<string, string> = { scope: 'openid email' },
): Promise<DeviceAnswer> {
  const { status, body } = await post(party, 'device_authorization', fields);
  if (status !== 200) throw new Error(`No device code: ${status} ${JSON.stringify(body)}`);
  return body;
}

const poll = (party: Party, device_code: string, sent: Sent = {}) =>
  post(party, 'token', { grant_type: DEVICE, device_code }, sent);

async function push(party: Party, more: Record<string, string> = {}, sent: Sent = {}) {
  const { id, redirectUri } = party.clients[sent.as ?? 'first'];
  const fields = { client_id: id, response_type: 'code', redirect_uri: redirectUri, scope: 'openid email', ...more };
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
  return post(party, 'pushed_authorization_request', { ...fields, ...pkce }, sent);
}

async function userinfo(party: Party, headers: Record<string, string>) {
  const response = await fetch(party.metadata['userinfo_endpoint']!, { headers });
  const challenge = response.headers.get('www-authenticate');
  return {
    status: response.status,
    scheme: /^\w+/.exec(challenge ?? '')?.[0] ?? null, // the first of several challenges
    error: /error="(\w+)"/.exec(challenge ?? '')?.[1] ?? null,
  };
}

let key: DpopKeyPair;
let otherKey: DpopKeyPair;

/** With the nonce that the server demands. */
async function proofFor(
  party: Party,
  endpoint: string,
  parts: ProofParts & { accessToken?: string; by?: DpopKeyPair } = {},
) {
  const { accessToken, by = key, ...rest } = parts;
  const probe = await post(party, 'token', { grant_type: 'client_credentials' }, { headers: await bareProof(party) });
  const nonce = probe.headers.get('dpop-nonce')!;
  const htm = endpoint === 'userinfo' ? 'GET' : 'POST';
  const htu = party.metadata[`${endpoint}_endpoint`]!;
  return { DPoP: await newProof(by, { htm, htu, nonce, ...(accessToken ? { accessToken } : {}) }, rest) };
}

async function bareProof(party: Party) {
  const claims = { nonce: undefined } as unknown as Record<string, string>;
  return { DPoP: await newProof(key, { htm: 'POST', htu: party.metadata['token_endpoint']!, nonce: '' }, { claims }) };
}

const server = { grant_type: 'client_credentials' };
const withProof =
  (parts: ProofParts): Step =>
  async (party) =>
    compared(await post(party, 'token', server, { headers: await proofFor(party, 'token', parts) }));
const boundTokens = async (party: Party) => {
  const sent = { headers: await proofFor(party, 'token') };
  return (await redeem(party, await codeOf(party), {}, sent)).body;
};

const STEPS: Readonly<Record<string, Step>> = {
  // Token endpoint
  'client credentials': token(server),
  'client credentials with a scope': token({ ...server, scope: SERVICE_SCOPE }),
  'client credentials for a resource': token({ ...server, resource: RESOURCE, scope: 'orders:read' }),
  'client credentials with an unknown scope': token({ ...server, scope: 'unknown' }),
  'client credentials for an unknown resource': token({ ...server, resource: 'urn:compared:unknown' }),
  'client credentials with a wrong secret': (party) =>
    ask('token', server, { as: null, headers: basic(party.clients.first.id, 'wrong') })(party),
  'client credentials of an unknown client': token(server, {
    as: null,
    headers: basic('018f2f6e-7a3b-7c60-a111-000000000000', 'secret'),
  }),
  'client credentials of a public client': token(server, { as: 'public' }),
  'a secret in the header and in the body': (party) => {
    const { id, secret } = party.clients.first;
    return token({ ...server, client_id: id, client_secret: secret })(party);
  },
  'an unknown grant type': token({ grant_type: 'unknown' }),
  'no grant type': token({ scope: 'openid' }),
  'a grant type twice': token([
    ['grant_type', 'client_credentials'],
    ['grant_type', 'client_credentials'],
  ]),
  'no client': token(server, { as: null }),

  // Authorization endpoint
  'a sign-in': asks({}),
  'a sign-in for a resource': asks({ resource: RESOURCE, scope: 'openid orders:read' }),
  'a sign-in of a public client': asks({}, 'public'),
  'a sign-in of a public client without PKCE': asks({ code_challenge: '', code_challenge_method: '' }, 'public'),
  'a sign-in without response_type': asks({ response_type: '' }),
  'a sign-in with an unknown response_type': asks({ response_type: 'unknown' }),
  'a sign-in with response_type=token': asks({ response_type: 'token' }),
  'a sign-in with the plain method of PKCE': asks({ code_challenge_method: 'plain' }),
  'a sign-in for an unknown resource': asks({ resource: 'urn:compared:unknown' }),
  'a sign-in without a page': asks({ prompt: 'none' }),
  'a sign-in without a page and with one': asks({ prompt: 'none login' }),
  'a sign-in with a request object': asks({ request: 'x.y.z' }),
  'a sign-in with an unknown request_uri': asks({ request_uri: 'urn:ietf:params:oauth:request_uri:unknown' }),
  'a sign-in that leads elsewhere': asks({ redirect_uri: 'https://elsewhere.example/callback' }),
  'a sign-in of an unknown client': asks({ client_id: '018f2f6e-7a3b-7c60-a111-000000000000' }),
  'a sign-in without a client': asks({ client_id: '' }),

  // Codes
  'a code': async (party) => compared(await redeem(party, await codeOf(party))),
  'a code for a resource': async (party) =>
    compared(await redeem(party, await codeOf(party, { resource: RESOURCE, scope: 'openid orders:read' }))),
  'a code of a public client': async (party) =>
    compared(await redeem(party, await codeOf(party, {}, 'public'), {}, { as: 'public' })),
  'a code twice': async (party) => {
    const code = await codeOf(party);
    await redeem(party, code);
    return compared(await redeem(party, code));
  },
  'a code with a wrong verifier': async (party) =>
    compared(await redeem(party, await codeOf(party), { code_verifier: 'a'.repeat(43) })),
  'a code without its verifier': async (party) =>
    compared(await redeem(party, await codeOf(party), { code_verifier: '' })),
  'a code with another redirect_uri': async (party) =>
    compared(await redeem(party, await codeOf(party), { redirect_uri: 'https://elsewhere.example/callback' })),
  'a code of another client': async (party) => compared(await redeem(party, await codeOf(party), {}, { as: 'second' })),
  'a code for another resource': async (party) =>
    compared(await redeem(party, await codeOf(party, { resource: RESOURCE }), { resource: 'urn:compared:unknown' })),
  'an unknown code': async (party) => compared(await redeem(party, 'unknown')),
  'no code': token({ grant_type: 'authorization_code', code_verifier: VERIFIER }),

  // Refresh tokens
  'a refresh': async (party) => compared(await refresh(party, (await tokensOf(party)).refresh_token)),
  'a refresh with fewer scopes': async (party) =>
    compared(await refresh(party, (await tokensOf(party)).refresh_token, { scope: 'openid' })),
  'a refresh with more scopes': async (party) =>
    compared(
      await refresh(party, (await tokensOf(party, { scope: 'openid' })).refresh_token, { scope: 'openid email' }),
    ),
  'a refresh for another resource': async (party) => {
    const { refresh_token } = await tokensOf(party, { resource: RESOURCE, scope: 'openid orders:read' });
    return compared(await refresh(party, refresh_token, { resource: 'urn:compared:unknown' }));
  },
  'a refresh twice': async (party) => {
    const { refresh_token } = await tokensOf(party);
    await refresh(party, refresh_token);
    return compared(await refresh(party, refresh_token));
  },
  'a refresh after another was replayed': async (party) => {
    const { refresh_token } = await tokensOf(party);
    const { body } = await refresh(party, refresh_token);
    await refresh(party, refresh_token);
    return compared(await refresh(party, body.refresh_token));
  },
  'a refresh token of another client': async (party) =>
    compared(await refresh(party, (await tokensOf(party)).refresh_token, {}, { as: 'second' })),
  'an unknown refresh token': async (party) => compared(await refresh(party, 'unknown')),
  'no refresh token': token({ grant_type: 'refresh_token' }),

  // Pushed requests (RFC 9126)
  'a pushed request': async (party) => compared(await push(party)),
  'a sign-in by a pushed request': async (party) => {
    const { body } = await push(party);
    const url = new URL(party.metadata['authorization_endpoint']!);
    url.search = new URLSearchParams({
      client_id: party.clients.first.id,
      request_uri: String(body['request_uri']),
    }).toString();
    return { ...comparedEnd(await party.visit(url)), hasState: false };
  },
  'a pushed request of another client': async (party) => {
    const { body } = await push(party);
    return asks({ request_uri: String(body['request_uri']) }, 'second')(party);
  },
  'a pushed request with a wrong secret': async (party) =>
    compared(await push(party, {}, { as: null, headers: basic(party.clients.first.id, 'wrong') })),
  'a pushed request that leads elsewhere': async (party) =>
    compared(await push(party, { redirect_uri: 'https://elsewhere.example/callback' })),
  'a pushed request that names a pushed request': async (party) =>
    compared(await push(party, { request_uri: 'urn:ietf:params:oauth:request_uri:other' })),
  'a pushed request for an unknown resource': async (party) =>
    compared(await push(party, { resource: 'urn:compared:unknown' })),
  'a pushed request with an unknown response_type': async (party) =>
    compared(await push(party, { response_type: 'unknown' })),
  'a pushed request with the plain method of PKCE': async (party) =>
    compared(
      await post(party, 'pushed_authorization_request', {
        client_id: party.clients.first.id,
        response_type: 'code',
        redirect_uri: party.clients.first.redirectUri,
        code_challenge: CHALLENGE,
        code_challenge_method: 'plain',
      }),
    ),

  // Devices (RFC 8628)
  'a device': ask('device_authorization', { scope: 'openid email' }),
  'a device of an unknown client': ask('device_authorization', {}, { as: null, headers: basic('unknown', 'secret') }),
  'a device of a client without the grant': ask('device_authorization', {}, { as: 'second' }),
  'a device for an unknown resource': ask('device_authorization', { resource: 'urn:compared:unknown' }),
  'a poll before the answer': async (party) => compared(await poll(party, (await deviceOf(party)).device_code)),
  'a poll at once after another': async (party) => {
    const { device_code } = await deviceOf(party);
    await poll(party, device_code);
    return compared(await poll(party, device_code));
  },
  'a poll after the user has allowed it': async (party) => {
    const device = await deviceOf(party);
    await party.answerDevice(device, true);
    return compared(await poll(party, device.device_code));
  },
  'a poll after the tokens': async (party) => {
    const device = await deviceOf(party);
    await party.answerDevice(device, true);
    await poll(party, device.device_code);
    return compared(await poll(party, device.device_code));
  },
  'a poll after the user has denied it': async (party) => {
    const device = await deviceOf(party);
    await party.answerDevice(device, false);
    return compared(await poll(party, device.device_code));
  },
  'a poll with the code of another client': async (party) =>
    compared(await poll(party, (await deviceOf(party)).device_code, { as: 'public' })),
  'a poll with an unknown code': async (party) => compared(await poll(party, 'unknown')),
  'a poll without a code': token({ grant_type: DEVICE }),

  // DPoP (RFC 9449)
  'a proof': withProof({}),
  'a proof without a nonce': async (party) => {
    const answer = await post(party, 'token', server, { headers: await bareProof(party) });
    return { ...compared(answer), hasNonce: answer.headers.has('dpop-nonce') };
  },
  'a proof with a wrong nonce': withProof({ claims: { nonce: 'wrong' } }),
  'a proof for another method': withProof({ claims: { htm: 'GET' } }),
  'a proof for another address': withProof({ claims: { htu: 'https://elsewhere.example/token' } }),
  'a proof of another type': withProof({ header: { typ: 'JWT' } }),
  'a proof without jti': withProof({ claims: { jti: undefined as unknown as string } }),
  'a proof of long ago': withProof({ claims: { iat: 1 } }),
  'no JWT as a proof': token(server, { headers: { DPoP: 'unknown' } }),
  'a proof twice': async (party) => {
    const headers = await proofFor(party, 'token');
    await post(party, 'token', server, { headers });
    return compared(await post(party, 'token', server, { headers }));
  },
  'a code with a proof': async (party) =>
    compared(await redeem(party, await codeOf(party), {}, { headers: await proofFor(party, 'token') })),
  'a code with a proof of another key than that of the sign-in': async (party) => {
    const headers = await proofFor(party, 'token', { by: otherKey });
    return compared(await redeem(party, await codeOf(party, { dpop_jkt: key.jkt }), {}, { headers }));
  },
  'a refresh of a public client without its proof': async (party) => {
    const sent = { as: 'public' as const, headers: await proofFor(party, 'token') };
    const { body } = await redeem(party, await codeOf(party, {}, 'public'), {}, sent);
    return compared(await refresh(party, body.refresh_token, {}, { as: 'public' }));
  },
  'userinfo with a bound token and its proof': async (party) => {
    const { access_token: accessToken } = await boundTokens(party);
    const headers = await proofFor(party, 'userinfo', { accessToken });
    return userinfo(party, { Authorization: `DPoP ${accessToken}`, ...headers });
  },
  'userinfo with a bound token as Bearer': async (party) =>
    userinfo(party, { Authorization: `Bearer ${(await boundTokens(party)).access_token}` }),
  'userinfo with a bound token without a proof': async (party) =>
    userinfo(party, { Authorization: `DPoP ${(await boundTokens(party)).access_token}` }),
  'userinfo with a bound token and a proof of another key': async (party) => {
    const { access_token: accessToken } = await boundTokens(party);
    const headers = await proofFor(party, 'userinfo', { accessToken, by: otherKey });
    return userinfo(party, { Authorization: `DPoP ${accessToken}`, ...headers });
  },

  // Userinfo, introspection, revocation
  userinfo: async (party) => userinfo(party, { Authorization: `Bearer ${(await tokensOf(party)).access_token}` }),
  'userinfo without a token': (party) => userinfo(party, {}),
  'userinfo with an unknown token': (party) => userinfo(party, { Authorization: 'Bearer unknown' }),
  'userinfo with a token for a resource': async (party) => {
    const { access_token } = await tokensOf(party, { resource: RESOURCE, scope: 'openid orders:read' });
    return userinfo(party, { Authorization: `Bearer ${access_token}` });
  },
  'userinfo after the token was revoked': async (party) => {
    const { access_token, refresh_token } = await tokensOf(party);
    await post(party, 'revocation', { token: refresh_token });
    return userinfo(party, { Authorization: `Bearer ${access_token}` });
  },
  'introspection of an unknown token': ask('introspection', { token: 'unknown' }),
  'introspection without a token': ask('introspection', {}),
  'introspection with a wrong secret': (party) =>
    ask('introspection', { token: 'unknown' }, { as: null, headers: basic(party.clients.first.id, 'wrong') })(party),
  'introspection of a refresh token': async (party) => {
    const { body, status } = await post(party, 'introspection', { token: (await tokensOf(party)).refresh_token });
    return { status, active: body['active'], client: body['client_id'] === party.clients.first.id };
  },
  'introspection of a refresh token by another client': async (party) => {
    const { refresh_token } = await tokensOf(party);
    return compared(await post(party, 'introspection', { token: refresh_token }, { as: 'second' }));
  },
  'introspection of a spent refresh token': async (party) => {
    const { refresh_token } = await tokensOf(party);
    await refresh(party, refresh_token);
    return compared(await post(party, 'introspection', { token: refresh_token }));
  },
  'revocation of an unknown token': ask('revocation', { token: 'unknown' }),
  'revocation without a token': ask('revocation', {}),
  'revocation with a wrong secret': (party) =>
    ask('revocation', { token: 'unknown' }, { as: null, headers: basic(party.clients.first.id, 'wrong') })(party),
  'a refresh after the revocation': async (party) => {
    const { refresh_token } = await tokensOf(party);
    await post(party, 'revocation', { token: refresh_token });
    return compared(await refresh(party, refresh_token));
  },
  'revocation of a token of another client': async (party) => {
    const { refresh_token } = await tokensOf(party);
    await post(party, 'revocation', { token: refresh_token }, { as: 'second' });
    return { afterwards: compared(await refresh(party, refresh_token)) };
  },
};

/** Where ours answers otherwise, and why. One that is no difference any more fails. */
const DELIBERATE: Readonly<Record<string, string>> = {
  'client credentials': 'without a scope in the request it says which were granted (RFC 6749, 3.3)',
  'a proof': 'likewise',
  'client credentials with an unknown scope': 'it is refused with invalid_scope, not left out (RFC 6749, 5.2)',
  'client credentials of a public client': 'a client that proves nothing gets invalid_client (RFC 6749, 5.2)',
  'no client': 'likewise: no client authentication is included',
  'a sign-in with an unknown request_uri': 'a request that cannot be read leads nowhere: it ends with a page',
  'a pushed request of another client': 'likewise',
  'a refresh with more scopes': 'the same error, without a member scope, which RFC 6749, 5.2 does not have',
  'a pushed request that names a pushed request': 'RFC 9126, 2.1 says invalid_request',
  'a device': 'it says how long to wait between two polls',
  'a device of a client without the grant': 'RFC 8628, 3.1 and RFC 6749, 5.2 say unauthorized_client',
  'a poll at once after another': 'RFC 8628, 3.5 says slow_down',
  'a proof of long ago': 'a nonce does not excuse a clock that is years off',
  'a proof twice': 'RFC 9449, 5 says invalid_dpop_proof, also where no grant is presented',
  'userinfo with a bound token without a proof': 'RFC 9449, 7.1 says 401 with a challenge',
  'revocation of an unknown token': 'the body is JSON, which RFC 7009, 2.2 lets clients ignore',
};

// The certified server of the client libraries' author: what both answer alike, clients can rely on.
describe('Compared with oidc-provider', () => {
  let service: SharedTestApp;
  let world: World;
  let ours: Party;
  let provider: ComparedProvider;
  let theirs: Party;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    ours = await openOurs(world);
    const clients = Object.values(ours.clients);
    const resource = { identifier: RESOURCE, scopes: RESOURCE_SCOPES };
    provider = await startComparedProvider({ clients, serviceScope: SERVICE_SCOPE, resource });
    theirs = await openTheirs(provider, ours.clients);
    [key, otherKey] = [await newDpopKey(), await newDpopKey()];
  });

  afterAll(async () => {
    await provider.close();
    await world.close();
  });

  it.each(Object.keys(STEPS).filter((name) => !(name in DELIBERATE)))('%s gets the same answer', async (name) => {
    const step = STEPS[name]!;
    expect(await step(ours)).toEqual(await step(theirs));
  });

  it.each(Object.entries(DELIBERATE))('%s gets another answer: %s', async (name) => {
    const step = STEPS[name]!;
    expect(await step(ours)).not.toEqual(await step(theirs));
  });
});

async function metadataOf(issuer: string): Promise<Record<string, string>> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  return (await response.json()) as Record<string, string>;
}

async function openOurs(world: World): Promise<Party> {
  const resource = { identifier: RESOURCE, name: 'Orders', scopes: RESOURCE_SCOPES, token_lifetime_minutes: 5 };
  const tenant = await world.tenant({ resources: [resource] });
  const app = async (config: Record<string, unknown>, usesDevices: boolean): Promise<ComparedClient> => {
    const fields = { resources: [RESOURCE], device_grant: usesDevices, ...config };
    const { id, secret, redirectUri } = await world.app(tenant, { config: fields, service_scopes: [SERVICE_SCOPE] });
    return { id, secret: config['client_type'] === 'public' ? '' : secret, redirectUri, usesDevices };
  };
  const clients = {
    first: await app({ client_type: 'confidential' }, true),
    second: await app({ client_type: 'confidential' }, false),
    public: await app({ client_type: 'public' }, true),
  };
  const user: TestUser = await world.user({ id: clients.first.id });
  for (const { id } of [clients.second, clients.public])
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: id, roles: ['user'] });
  return {
    metadata: await metadataOf(world.baseUrl),
    clients,
    visit: async (url) => {
      const browser = new HostedBrowser(world.baseUrl);
      let answer = await browser.get(`${url.pathname}${url.search}`);
      if (answer.location?.startsWith('/')) answer = await browser.get(answer.location);
      if (answer.status === 200) answer = await browser.submit(answer, { email: user.email, password: user.password });
      return { status: answer.status, location: answer.location ? new URL(answer.location) : null };
    },
    answerDevice: async (device, isAllowed) => {
      if (isAllowed) return allowDevice(world, user, device);
      const { browser, page } = await reachApproval(world, user, device);
      return browser.submit(page, { answer: 'deny' });
    },
  };
}

async function openTheirs({ issuer, answerDevice }: ComparedProvider, clients: Party['clients']): Promise<Party> {
  return {
    metadata: await metadataOf(issuer),
    clients,
    visit: async (url) => {
      const cookies = new Map<string, string>();
      for (let at = url, hops = 0; hops < 10; hops++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(at, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
        for (const set of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
          cookies.set(name!, value!);
        }
        const location = response.headers.get('location');
        if (location === null) return { status: response.status, location: null };
        at = new URL(location, at);
        if (!at.href.startsWith(issuer)) return { status: response.status, location: at };
      }
      throw new Error('Too many redirects');
    },
    answerDevice: ({ device_code }, isAllowed) => answerDevice(device_code, isAllowed),
  };
}
