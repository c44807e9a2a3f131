import { describe, expect, it } from '@jest/globals';
import {
  responseUri,
  errorResponse,
  faultResponse,
} from '../../../../../src/auth/hosted-sign-in/authorization-request/authorization-response.rules.js';
import {
  deliversTokens,
  type RawParameters,
  readAppId,
  readRedirectUri,
  readRequest,
  requestQuery,
} from '../../../../../src/auth/hosted-sign-in/authorization-request/authorization-request.rules.js';

const ID = '01a1fdec-58dd-741b-b57b-cf50ee21b55b';
const OTHER_ID = '01a1fdec-58dd-741b-b57b-cf50ee21b55c';
const URI = 'https://app.example/cb';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const requested = (raw: RawParameters) => {
  const read = readRequest(raw, URI, { require_pkce: false, require_par: false, client_type: null });
  if ('fault' in read) throw new Error(read.fault.description);
  return read.request;
};

const refused = (raw: RawParameters) => {
  const read = readRequest(raw, URI, { require_pkce: false, require_par: false, client_type: null });
  return 'fault' in read ? read.fault.error : null;
};

const failureUri = (...args: Parameters<typeof errorResponse>) => responseUri(errorResponse(...args));
const faultUri = (...args: Parameters<typeof faultResponse>) => responseUri(faultResponse(...args));

describe('App of an authorization request', () => {
  it.each<[string, RawParameters]>([
    ['app_id', { app_id: ID }],
    ['client_id', { client_id: ID }],
    ['client_id beside an empty app_id', { app_id: '', client_id: ID }],
    ['both, when they agree', { app_id: ID, client_id: ID.toUpperCase() }],
    ['app_id in capitals', { app_id: ID.toUpperCase() }],
  ])('is named by %s', (_by, raw) => expect(readAppId(raw)).toEqual({ appId: ID }));

  it.each<[string, RawParameters, string]>([
    ['nothing', {}, 'missing'],
    ['an empty text', { app_id: '', client_id: '' }, 'missing'],
    ['no UUID', { app_id: 'shop' }, 'malformed'],
    ['a UUID with something behind it', { app_id: `${ID}x` }, 'malformed'],
    ['a list', { app_id: [ID, ID] }, 'repeated'],
    ['an object', { app_id: { a: ID } }, 'repeated'],
    ['two apps', { app_id: ID, client_id: OTHER_ID }, 'repeated'],
    ['one app and a list', { app_id: ID, client_id: [ID] }, 'repeated'],
  ])('is not named by %s', (_by, raw, problem) => {
    expect(readAppId(raw)).toMatchObject({ fault: { parameter: 'app_id', problem } });
  });

  it('is shown with at most 300 characters of the received value', () => {
    expect(readAppId({ app_id: 'x'.repeat(5000) })).toMatchObject({ fault: { received: 'x'.repeat(300) } });
  });
});

describe('Redirect URI of an authorization request', () => {
  it.each<[string, RawParameters, string]>([
    ['nothing', {}, 'missing'],
    ['an empty text', { redirect_uri: '' }, 'missing'],
    ['a list', { redirect_uri: [URI, URI] }, 'repeated'],
    ['an object', { redirect_uri: { href: URI } }, 'repeated'],
    ['another one', { redirect_uri: `${URI}/` }, 'not_registered'],
  ])('is rejected with %s', (_what, raw, problem) => {
    expect(readRedirectUri(raw, [URI], 'https://id.example')).toMatchObject({
      fault: { parameter: 'redirect_uri', problem },
    });
  });

  it('is the registered one', () => {
    expect(readRedirectUri({ redirect_uri: URI }, [URI], 'https://id.example')).toEqual({ redirectUri: URI });
  });
});

describe('Other parameters of an authorization request', () => {
  it('are empty by default', () => {
    expect(requested({})).toEqual({
      redirectUri: URI,
      responseMode: 'query',
      uiLocales: null,
      state: null,
      codeChallenge: null,
      dpopJkt: null,
      deviceId: null,
      openid: false,
      scope: null,
      resource: null,
      subject: null,
      nonce: null,
      acr: null,
      claims: null,
      loginHint: null,
      inviteCode: null,
      purpose: 'app',
      pushed: false,
      prompt: null,
      confirm: null,
      create: false,
      maxAge: null,
    });
  });

  it('are kept unchanged', () => {
    const raw = {
      client_id: ID,
      response_type: 'code',
      response_mode: 'query',
      state: ' s ',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      device_id: 'd',
      scope: 'openid email',
      claims: '{"id_token":{"email":null}}',
      acr_values: 'urn:x phr',
      nonce: 'n',
      login_hint: 'ada@example.com',
      prompt: 'login',
      max_age: '60',
      invite_code: 'K7',
    };
    expect(requested(raw)).toEqual({
      redirectUri: URI,
      responseMode: 'query',
      uiLocales: null,
      state: ' s ',
      codeChallenge: CHALLENGE,
      dpopJkt: null,
      deviceId: 'd',
      openid: true,
      scope: 'openid email',
      resource: null,
      claims: '{"id_token":{"email":null}}',
      acr: { values: ['phr'], isEssential: false },
      subject: null,
      nonce: 'n',
      loginHint: 'ada@example.com',
      inviteCode: 'K7',
      purpose: 'app',
      pushed: false,
      prompt: 'login',
      confirm: null,
      create: false,
      maxAge: 60,
    });
  });

  it('are omitted if they have no value (RFC 6749 section 3.1)', () => {
    const empty = { state: '', response_type: '', client_id: '', request: '', request_uri: '', nonce: '', max_age: '' };
    expect(requested(empty)).toEqual(requested({}));
  });

  it.each([
    ['login', 'login'],
    ['none', 'none'],
    ['select_account', null],
    ['consent login', 'login'],
    ['', null],
  ])('with prompt=%s mean %s', (prompt, expected) => expect(requested({ prompt }).prompt).toBe(expected));

  it.each([
    ['select_account', 'account', false],
    ['consent', 'consent', false],
    ['login select_account consent', 'consent', false],
    ['create', null, true],
    ['unheard_of', null, false],
  ])('with prompt=%s ask about %s, for a new user: %p', (prompt, confirm, create) =>
    expect(requested({ prompt })).toMatchObject({ confirm, create }),
  );

  it.each(['state', 'nonce', 'scope', 'prompt', 'code_challenge', 'device_id', 'login_hint', 'response_mode'])(
    'are rejected with a repeated %s',
    (name) => expect(refused({ [name]: ['a', 'a'] })).toBe('invalid_request'),
  );

  it.each<[RawParameters, string | null]>([
    [{ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, null],
    [{ code_challenge: '', code_challenge_method: '' }, null],
    [{ code_challenge: CHALLENGE }, 'invalid_request'],
    [{ code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: CHALLENGE, code_challenge_method: 's256' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge: `${CHALLENGE}\n`, code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge: CHALLENGE.slice(1), code_challenge_method: 'S256' }, 'invalid_request'],
  ])('with %j are judged %s', (raw, error) => expect(refused(raw)).toBe(error));

  it.each<[RawParameters, string]>([
    [{ client_id: ID }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'web_message' }, 'invalid_request'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ request_uri: 'x' }, 'request_uri_not_supported'],
    [{ max_age: '1.5' }, 'invalid_request'],
    [{ max_age: '1e3' }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
  ])('with %j return %s', (raw, error) => expect(refused(raw)).toBe(error));
});

describe('Authorization request as a query', () => {
  it('contains only the request', () => {
    const raw = { app_id: ID, redirect_uri: URI, state: 'a b&c', password: 'secret', email: 'ada@example.com' };
    expect(Object.fromEntries(new URLSearchParams(requestQuery(raw)))).toEqual({
      app_id: ID,
      redirect_uri: URI,
      state: 'a b&c',
    });
  });

  it('keeps repeated parameters, so that they are rejected', () => {
    expect(new URLSearchParams(requestQuery({ state: ['a', 'b'] })).getAll('state')).toEqual(['a', 'b']);
  });
});

describe('Errors of an authorization request', () => {
  const request = { redirectUri: `${URI}?x=1`, state: 'a b', openid: false };

  it('use our own error codes', () => {
    expect(failureUri(request, 'account_suspended', 'https://id.example')).toBe(
      `${URI}?x=1&error=account_suspended&state=a%20b`,
    );
  });

  it.each([
    ['account_suspended', 'access_denied'],
    ['approval_pending', 'access_denied'],
    ['registration_closed', 'access_denied'],
    ['invalid_invite', 'access_denied'],
    ['login_required', 'login_required'],
    ['server_error', 'server_error'],
  ] as const)('use the error codes of OpenID Connect in its requests: %s → %s', (reason, error) => {
    const uri = new URL(failureUri({ ...request, openid: true }, reason, 'https://id.example'));
    expect([uri.searchParams.get('error'), uri.searchParams.get('iss')]).toEqual([error, 'https://id.example']);
  });

  it('use the requested response mode, and the query if that is unusable', () => {
    const fault = { error: 'invalid_request', description: 'x' };
    const mode = (response_mode: string, uri = URI) => faultResponse({ response_mode }, uri, fault, 'i').mode;
    expect(['query', 'fragment', 'form_post', 'web_message', ''].map((each) => mode(each))).toEqual([
      'query',
      'fragment',
      'form_post',
      'query',
      'query',
    ]);
    expect(mode('form_post', 'com.example.app:/cb')).toBe('query');
    expect(responseUri(errorResponse({ ...request, responseMode: 'fragment' }, 'access_denied', 'i'))).toBe(
      `${URI}?x=1#error=access_denied&state=a%20b`,
    );
  });

  it('contain no state that was repeated', () => {
    const fault = { error: 'invalid_request', description: 'state is given more than once' };
    const uri = new URL(faultUri({ state: ['a', 'b'] }, URI, fault, 'https://id.example'));
    expect([...uri.searchParams.keys()]).toEqual(['error', 'error_description']);
  });
});

describe('Tokens of a hosted sign-in', () => {
  it('are never delivered to a confidential client, which has shown no secret yet', () => {
    const request = { ...requested({}), redirectUri: 'com.example.app:/cb' };
    expect(deliversTokens(request, { client_type: 'confidential' })).toBe(false);
  });

  it.each([
    ['https://app.example/cb', false, false],
    ['http://127.0.0.1/cb', false, false],
    ['com.example.app:/cb', false, true],
    ['com.example.app:/cb', true, false],
  ])('for %s, requested with OpenID Connect: %p, are delivered: %p', (redirectUri, openid, delivered) => {
    expect(deliversTokens({ ...requested({}), redirectUri, openid }, { client_type: null })).toBe(delivered);
  });
});
