import { afterAll, beforeAll, expect } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { type HostedAnswer, HostedBrowser } from './hosted-page.js';
import type { OpenIdTokens } from './openid-sign-in.js';
import { basic, postForm } from './post.js';
import { environmentVariable } from './environment-variable.js';
import { sharedDatabaseUrl } from './test-database.js';
import { type Answer, type TestUser, type TestClient, World } from './world.js';

type Parameters = Readonly<Record<string, string>>;

/** A sign-in as the OpenID Foundation's suite makes it, with every check that it makes on each of them. */
export interface SignedIn {
  readonly browser: HostedBrowser;
  readonly tokens: OpenIdTokens;
  readonly claims: JWTPayload;
}

export const GOODBYE = 'https://client.example/post_logout_redirect?tenant=1';

/**
 * What every module of a test plan has: a client, a user, and the steps of a sign-in. All modules share one process of
 * the service (`conformance-setup.js`), so a file costs a fraction of a second.
 */
export class ConformanceFixture {
  world: World;
  client: TestClient;
  user: TestUser;

  async open(): Promise<void> {
    this.world = await World.open(environmentVariable('CONFORMANCE_URL'), sharedDatabaseUrl());
    this.client = await this.world.app(await this.world.tenant(), { config: { post_logout_redirect_uris: [GOODBYE] } });
    this.user = await this.world.user(this.client);
  }

  newBrowser(): HostedBrowser {
    return new HostedBrowser(this.world.baseUrl);
  }

  async discovery(): Promise<Record<string, unknown>> {
    const answer = await this.world.call('GET', '/.well-known/openid-configuration');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ]);
    return answer.body;
  }

  async keySet(): Promise<JSONWebKeySet> {
    return (await this.world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;
  }

  /** The request of the suite, with these parameters beside or in place of its own; an empty one is left out. */
  request(parameters: Parameters = {}): Record<string, string> {
    const query: Record<string, string> = {
      client_id: this.client.id,
      redirect_uri: this.client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 'state of the client',
      nonce: 'nonce of the client',
      ...parameters,
    };
    return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
  }

  path(parameters: Parameters = {}): string {
    return `/login?${new URLSearchParams(this.request(parameters)).toString()}`;
  }

  /** The authorization endpoint, as far as the browser gets without filling in anything. */
  visit(parameters: Parameters = {}, browser = this.newBrowser()): Promise<HostedAnswer> {
    return browser.get(this.path(parameters));
  }

  /** Fills in the form where there is one. */
  async authorize(parameters: Parameters = {}, browser = this.newBrowser()): Promise<HostedAnswer> {
    return browser.signIn(this.path(parameters), this.user.email, this.user.password);
  }

  /** The code of a good answer: state echoed, issuer named, nothing else. */
  codeOf(answer: HostedAnswer, state: string | null = 'state of the client'): string {
    expect(answer.location?.startsWith(this.client.redirectUri)).toBe(true);
    const { code, ...rest } = Object.fromEntries(answer.delivered);
    expect(rest).toEqual({ iss: this.world.baseUrl, ...(state === null ? {} : { state }) });
    return code!;
  }

  /** By client_secret_basic, as the plan does it, unless `fields` authenticate. */
  token<Body = OpenIdTokens>(fields: Parameters, authenticates = false): Promise<Answer<Body>> {
    const headers = authenticates ? {} : basic(this.client.id, this.client.secret);
    return postForm<Body>(`${this.world.baseUrl}/auth/token`, { ...fields }, { ...headers } as Record<string, string>);
  }

  redeem<Body = OpenIdTokens>(code: string, fields: Parameters = {}, authenticates = false): Promise<Answer<Body>> {
    const { redirectUri: redirect_uri } = this.client;
    return this.token<Body>({ grant_type: 'authorization_code', code, redirect_uri, ...fields }, authenticates);
  }

  /** The token response and the ID token in it. @param nonce null where none was sent */
  async checkTokens(
    { status, headers, body }: Answer<OpenIdTokens>,
    nonce: string | null = 'nonce of the client',
  ): Promise<JWTPayload> {
    expect([status, body.token_type, body.expires_in > 0]).toEqual([200, 'Bearer', true]);
    expect(headers.get('cache-control')).toBe('no-store');
    const { payload } = await jwtVerify(body.id_token, createLocalJWKSet(await this.keySet()), {
      issuer: this.world.baseUrl,
      audience: this.client.id,
      algorithms: ['RS256'],
      requiredClaims: ['iat', 'exp', 'auth_time'],
    });
    expect(payload.sub).toBe(this.user.id);
    expect(payload['nonce']).toBe(nonce ?? undefined);
    return payload;
  }

  /** From the authorization endpoint to a verified ID token. */
  async signIn(parameters: Parameters = {}, browser = this.newBrowser()): Promise<SignedIn> {
    const answer = await this.authorize(parameters, browser);
    const response = await this.redeem(this.codeOf(answer));
    return { browser, tokens: response.body, claims: await this.checkTokens(response) };
  }

  /** A second request of the same browser that must be answered at once, without a page. */
  async signInSilently(parameters: Parameters, browser: HostedBrowser): Promise<SignedIn> {
    const answer = await this.visit(parameters, browser);
    const response = await this.redeem(this.codeOf(answer));
    return { browser, tokens: response.body, claims: await this.checkTokens(response) };
  }

  userinfo(token: string, method: 'GET' | 'POST' = 'GET'): Promise<Answer> {
    return this.world.call(method, '/userinfo', undefined, { token });
  }

  /** An answer of the authorization endpoint by redirect: an error of OpenID Connect, and no code. */
  errorOf(answer: HostedAnswer): string | null {
    const { delivered } = answer;
    expect(answer.location?.startsWith(this.client.redirectUri)).toBe(true);
    expect([delivered.has('code'), delivered.get('state'), delivered.get('iss')]).toEqual([
      false,
      'state of the client',
      this.world.baseUrl,
    ]);
    return delivered.get('error');
  }

  logout(browser: HostedBrowser, parameters: Parameters): Promise<HostedAnswer> {
    return browser.get(`/logout?${new URLSearchParams({ ...parameters }).toString()}`);
  }

  /** What the suite asks last: a silent sign-in must fail once the user has been signed out. */
  async isSignedIn(browser: HostedBrowser): Promise<boolean> {
    const answer = await this.visit({ prompt: 'none' }, browser);
    if (answer.delivered.has('code')) return true;
    expect(this.errorOf(answer)).toBe('login_required');
    return false;
  }
}

/** The fixture of one module. */
export function useConformanceFixture(): ConformanceFixture {
  const fixture = new ConformanceFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.world.close());
  return fixture;
}
