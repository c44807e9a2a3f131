import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt } from '../../support/authenticator.js';
import { newCode } from '../../support/one-time-code.js';
import { enrol, forgetSteps, totpSession, verify } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type Person, type TestClient, type Tokens, World } from '../../support/world.js';

const KINDS = [
  'access',
  'service',
  'id',
  'refresh',
  'code',
  'client secret',
  'totp_session',
  'setup_token',
  'backup code',
] as const;
type Kind = (typeof KINDS)[number];

/** Which kinds each door takes; every other cell must be refused. */
const DOORS: readonly { readonly name: string; readonly takes: readonly Kind[] }[] = [
  { name: 'POST /token/verify', takes: ['access'] },
  { name: 'GET /userinfo', takes: ['access'] },
  { name: 'POST /userinfo', takes: ['access'] },
  { name: 'GET /admin/users', takes: ['access', 'service'] },
  { name: 'POST /token/refresh', takes: ['refresh'] },
  { name: 'refresh_token at /auth/token', takes: ['refresh'] },
  { name: 'POST /token/exchange', takes: ['code'] },
  { name: 'authorization_code at /auth/token', takes: ['code'] },
  { name: 'client_credentials at /auth/token', takes: ['client secret'] },
  { name: 'POST /auth/totp/verify', takes: ['totp_session'] },
  { name: 'POST /account/totp/setup', takes: ['access', 'setup_token'] },
];
const CELLS = DOORS.flatMap(({ name, takes }) => KINDS.map((kind) => [kind, name, takes.includes(kind)] as const));

// security 56
describe('A token of each kind at each door', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let person: Person;
  let serviceToken: string;
  /** Has a second factor. */
  let ada: Person;
  let secret: string;
  let backupCodes: readonly string[];
  /** Demands one. */
  let demanding: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    // An app admin, so that the access token has something to open at the admin API.
    person = await world.person(app, { roles: ['admin'] });
    serviceToken = await world.serviceToken(app);
    ada = await world.person(app);
    ({ secret, backupCodes } = await enrol(world, ada, app.id));
    demanding = await world.app(await world.tenant({ require_2fa: true }));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const newToken: Record<Kind, () => Promise<string>> = {
    access: async () => (await signIn()).access_token,
    service: async () => serviceToken,
    id: async () => (await signIn()).id_token,
    refresh: async () => (await signIn()).refresh_token,
    code: () => newCode(world, app, person),
    'client secret': async () => app.secret,
    totp_session: () => totpSession(world, ada, app.id),
    setup_token: async () => {
      const { body } = await world.login(await world.person(demanding), demanding.id);
      return (body as unknown as { detail: { setup_token: string } }).detail.setup_token;
    },
    'backup code': async () => backupCodes[0]!,
  };
  const signIn = async () => {
    const code = await newCode(world, app, person, { response_type: 'code', scope: 'openid email' });
    const exchanged = await world.call<Tokens & { id_token: string }>('POST', '/token/exchange', {
      code,
      app_id: app.id,
    });
    return exchanged.body;
  };

  const client = () => ({ client_id: app.id, client_secret: app.secret });
  const knock: Record<string, (token: string) => Promise<Answer>> = {
    'POST /token/verify': (token) => world.call('POST', '/token/verify', { token, audience: app.id }),
    'GET /userinfo': (token) => world.call('GET', '/userinfo', undefined, { token }),
    'POST /userinfo': (token) => world.call('POST', '/userinfo', undefined, { token }),
    'GET /admin/users': (token) => world.call('GET', `/admin/users?app_id=${app.id}`, undefined, { token }),
    'POST /token/refresh': (token) => world.call('POST', '/token/refresh', { refresh_token: token, app_id: app.id }),
    'refresh_token at /auth/token': (token) =>
      world.call('POST', '/auth/token', { grant_type: 'refresh_token', refresh_token: token, ...client() }),
    'POST /token/exchange': (token) =>
      world.call('POST', '/token/exchange', { code: token.slice(0, 512), app_id: app.id }),
    'authorization_code at /auth/token': (token) =>
      world.call('POST', '/auth/token', {
        grant_type: 'authorization_code',
        code: token.slice(0, 512),
        redirect_uri: app.redirectUri,
        ...client(),
      }),
    'client_credentials at /auth/token': (token) =>
      world.call('POST', '/auth/token', {
        grant_type: 'client_credentials',
        client_id: app.id,
        client_secret: token.slice(0, 512),
      }),
    'POST /auth/totp/verify': async (token) => {
      await forgetSteps(world, ada);
      return (await verify(world, token, codeAt(secret))) as unknown as Answer;
    },
    'POST /account/totp/setup': (token) => world.call('POST', '/account/totp/setup', {}, { token }),
  };

  it.each(CELLS)('%s at %s is taken: %s (security 56)', async (kind, door, taken) => {
    const { status, body } = await knock[door]!(await newToken[kind]());
    expect(status === 200 && body['valid'] !== false).toBe(taken);
    if (!taken) expect([200, 400, 401, 403]).toContain(status);
  });
});
