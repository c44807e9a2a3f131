import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { type DpopKeyPair, newDpopKey, newProof } from '../dpop.js';
import { readJwt } from '../jwt-parts.js';
import { newCode, PKCE, VERIFIER } from '../one-time-code.js';
import { openIdSignIn, redeem } from '../openid-sign-in.js';
import { postForm } from '../post.js';
import { consentedCode, enrolDirectly, selfRegisteredApp } from '../self-registered-app.js';
import { enroll, totpSession } from '../second-factor.js';
import type { TestApp } from '../test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, type World, unique } from '../world.js';

/** Everything a request may carry to say who sends it: the columns of credentials.csv. */
export const CREDENTIAL_KINDS = [
  'SSO session',
  'console session',
  'Console token',
  'token of own app',
  'token of other app',
  'token of self-registered app',
  'exchanged token',
  'bound token with proof',
  'bound token as Bearer',
  'service token',
  'ID token',
  'setup_token',
  'totp_session',
  'expired token',
  'revoked token',
  'none',
] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Headers, and the form token that goes with a cookie. */
export interface Presented {
  readonly headers: Readonly<Record<string, string>>;
  readonly formToken: string | null;
  /** Headers that are good for one request. */
  readonly prove?: (method: string, path: string) => Promise<Readonly<Record<string, string>>>;
}

/**
 * One user with every authority there is: platform admin, admin of the app, member of another tenant's app. What a
 * request of theirs may do then depends on the kind of credential alone.
 */
export class CredentialFixture {
  readonly tenant: TestTenant;
  readonly app: TestClient;
  readonly approving: TestClient;
  /** Asks for a second factor, which the user has not set up. */
  readonly demanding: TestClient;
  readonly user: TestUser;
  private readonly tokens = new Map<CredentialKind, string>();
  /** Of the token of their own app that is bound to it (RFC 9449). */
  private key: DpopKeyPair;

  private constructor(
    readonly world: World,
    at: Pick<CredentialFixture, 'tenant' | 'app' | 'approving' | 'demanding' | 'user'>,
  ) {
    ({ tenant: this.tenant, app: this.app, approving: this.approving } = at);
    ({ demanding: this.demanding, user: this.user } = at);
  }

  static async build(world: World, service: TestApp): Promise<CredentialFixture> {
    const tenant = await world.tenant({ client_registration: true });
    const app = await world.app(tenant);
    const approving = await world.app(tenant, { registration_policy: 'approval' });
    const otherApp = await world.app(await world.tenant());
    const user = await world.user(app, { roles: ['admin'] });
    // Before there is an app that demands a second factor: then its tenant's self-registered clients do, too.
    const selfRegistered = await selfRegisteredToken(world, tenant, user);
    const demanding = await world.app(tenant, { config: { require_2fa: true } });
    for (const { id } of [otherApp, demanding])
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: id, roles: ['user'] });
    const fixture = new CredentialFixture(world, { tenant, app, approving, demanding, user });
    await world.asAdmin('PUT', `/admin/users/${user.id}/promote`);
    const own = await openIdSignIn(world, app, user);
    const other = await world.tokens(user, otherApp.id);
    const forConsole = await world.tokens(user, world.platformConsoleId);
    const second = await world.user(app);
    await enroll(world, second, app.id);
    fixture.tokens
      .set('Console token', forConsole.access_token)
      .set('token of own app', own.tokens.access_token)
      .set('token of other app', other.access_token)
      .set('token of self-registered app', selfRegistered)
      .set('exchanged token', await fixture.exchanged())
      .set('service token', await world.serviceToken(app))
      .set('ID token', own.tokens.id_token)
      .set('totp_session', await totpSession(world, second, app.id))
      .set('expired token', await expired(service, forConsole.access_token))
      .set('revoked token', await fixture.revoked());
    fixture.key = await newDpopKey();
    fixture.tokens.set('bound token as Bearer', await fixture.bound());
    return fixture;
  }

  /** A cookie of a session made for this request alone, so that no route ends it for the next; or a bearer token, likewise. */
  async present(kind: CredentialKind): Promise<Presented> {
    if (kind === 'none') return { headers: {}, formToken: null };
    if (kind === 'SSO session' || kind === 'console session') return this.cookie(kind);
    // Routes that end sign-ins end the tokens with them.
    await this.world.sql('UPDATE refresh_families SET revoked_at = NULL WHERE user_id = $1', [this.user.id]);
    if (kind === 'bound token with proof')
      return { headers: {}, formToken: null, prove: (method, path) => this.proof(method, path) };
    const token = kind === 'setup_token' ? await this.setupToken() : this.tokens.get(kind)!;
    return { headers: { Authorization: `Bearer ${token}` }, formToken: null };
  }

  /** Of an app that the user administers (RFC 8693). */
  private async exchanged(): Promise<string> {
    const resource = { identifier: `urn:exchange:${unique()}`, name: 'API', scopes: [], token_lifetime_minutes: 60 };
    await this.world.asAdmin('PATCH', `/admin/tenants/${this.tenant.id}`, { resources: [resource] });
    const config = { client_type: 'confidential', token_exchange: true, resources: [resource.identifier] };
    const app = await this.world.app(this.tenant, { config });
    const member = { user_id: this.user.id, app_id: app.id, roles: ['admin'] };
    await this.world.asAdmin('POST', '/admin/users/roles', member);
    const { tokens } = await openIdSignIn(this.world, app, this.user, undefined, { scope: 'openid email roles' });
    const answer = await postForm<Tokens>(`${this.world.baseUrl}/auth/token`, {
      grant_type: TOKEN_EXCHANGE_GRANT,
      ...{ client_id: app.id, client_secret: app.secret },
      ...{ subject_token: tokens.access_token, subject_token_type: ACCESS_TOKEN_TYPE, audience: resource.identifier },
    });
    return answer.body.access_token;
  }

  private async bound(): Promise<string> {
    const { world, app, user } = this;
    const [htm, htu] = ['POST', `${world.baseUrl}/auth/token`];
    const fields = { grant_type: 'authorization_code', client_id: app.id, code_verifier: VERIFIER };
    const code = await newCode(world, app, user, PKCE);
    const DPoP = await newProof(this.key, { htm, htu, nonce: await this.nonce() });
    return (await postForm<Tokens>(htu, { ...fields, code }, { DPoP })).body.access_token;
  }

  private async proof(htm: string, path: string): Promise<Record<string, string>> {
    const accessToken = this.tokens.get('bound token as Bearer')!;
    const call = { htm, htu: `${this.world.baseUrl}${path}`, nonce: await this.nonce(), accessToken };
    return { Authorization: `DPoP ${accessToken}`, DPoP: await newProof(this.key, call) };
  }

  private async nonce(): Promise<string> {
    const { headers } = await this.world.call('GET', '/userinfo', undefined, { headers: { DPoP: 'x' } });
    return headers.get('dpop-nonce')!;
  }

  /** A new one each time: it is void as soon as anything about the account changes. */
  private async setupToken(): Promise<string> {
    const { body } = await this.world.login(this.user, this.demanding.id);
    return (body as unknown as { detail: { setup_token: string } }).detail.setup_token;
  }

  private async cookie(kind: 'SSO session' | 'console session'): Promise<Presented> {
    const [sso, console] = [newSession(), newSession()];
    await this.world.sql(
      `INSERT INTO sso_sessions (id, token_hash, user_id, auth_time, amr, expires_at)
       VALUES ($1, $2, $3, now(), '{pwd}', now() + interval '1 hour')`,
      [sso.id, sso.hash, this.user.id],
    );
    if (kind === 'console session')
      await this.world.sql(
        `INSERT INTO console_sessions (id, token_hash, user_id, sso_session_id, auth_time, amr, expires_at)
         VALUES ($1, $2, $3, $4, now(), '{pwd}', now() + interval '1 hour')`,
        [console.id, console.hash, this.user.id, sso.id],
      );
    const { token, hash } = kind === 'SSO session' ? sso : console;
    const browser = randomBytes(32).toString('base64url');
    const purpose = kind === 'SSO session' ? `account:${this.user.id}` : `console:${hash.toString('base64url')}`;
    const formToken = createHmac('sha256', browser).update(`form:${purpose}`).digest('base64url');
    const name = kind === 'SSO session' ? 'sso' : 'console';
    return {
      headers: { Cookie: `${name}=${token}; browser=${browser}`, 'Sec-Fetch-Site': 'same-origin' },
      formToken,
    };
  }

  /** A token of a user with the same authority, whose tokens were all revoked. */
  private async revoked(): Promise<string> {
    const { world } = this;
    const user = await world.user(this.app, { roles: ['admin'] });
    await world.asAdmin('PUT', `/admin/users/${user.id}/promote`);
    const { access_token } = await world.tokens(user, world.platformConsoleId);
    await world.sql(`UPDATE users SET tokens_valid_from = now() + interval '2 seconds' WHERE id = $1`, [user.id]);
    return access_token;
  }
}

function newSession(): { id: string; token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { id: randomUUID(), token, hash: createHash('sha256').update(token).digest() };
}

/** As we would have signed it, an hour ago. */
function expired(service: TestApp, genuine: string): Promise<string> {
  const { kid, privateKey } = service.nest.get(SigningKeys, { strict: false }).current();
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ ...readJwt(genuine).payload, iat: now - 3600, exp: now - 1800 })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
    .sign(privateKey);
}

/** Of a client that the user is in. */
async function selfRegisteredToken(world: World, tenant: TestTenant, user: TestUser): Promise<string> {
  const app = await selfRegisteredApp(world, tenant);
  await enrolDirectly(world, app, user);
  const code = await consentedCode(world, app, user);
  return (await redeem(world, { ...app, secret: '' }, code, { code_verifier: VERIFIER })).body.access_token;
}
