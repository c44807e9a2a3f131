import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId, signed, type TokenMaker } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });

const FORGERIES: Record<string, TokenMaker> = {
  'another nonce': (t) => signed({ ...t, claims: { ...t.claims, nonce: 'another' } }),
  'no nonce': (t) => signed({ ...t, claims: { ...t.claims, nonce: undefined } }),
  'another issuer': (t) => signed({ ...t, claims: { ...t.claims, iss: 'https://accounts.google.com' } }),
  'its issuer with a slash more': (t) => signed({ ...t, claims: { ...t.claims, iss: `${t.claims.iss}/` } }),
  'another audience': (t) => signed({ ...t, claims: { ...t.claims, aud: 'another-client' } }),
  'one audience too many': (t) => signed({ ...t, claims: { ...t.claims, aud: [t.claims.aud as string, 'another'] } }),
  'no audience': (t) => signed({ ...t, claims: { ...t.claims, aud: undefined } }),
  'an end in the past': (t) =>
    signed({ ...t, claims: { ...t.claims, exp: t.claims.iat! - 120, iat: t.claims.iat! - 400 } }),
  'no end': (t) => signed({ ...t, claims: { ...t.claims, exp: undefined } }),
  'a beginning in the future': (t) =>
    signed({ ...t, claims: { ...t.claims, iat: t.claims.iat! + 400, exp: t.claims.iat! + 800 } }),
  'a beginning yesterday': (t) => signed({ ...t, claims: { ...t.claims, iat: t.claims.iat! - 86_400 } }),
  'no beginning': (t) => signed({ ...t, claims: { ...t.claims, iat: undefined } }),
  'no subject': (t) => signed({ ...t, claims: { ...t.claims, sub: undefined } }),
  'an empty subject': (t) => signed({ ...t, claims: { ...t.claims, sub: '' } }),
  'a subject with a NUL': (t) => signed({ ...t, claims: { ...t.claims, sub: `${t.claims.sub}\0` } }),
  'a subject with half a character': (t) => signed({ ...t, claims: { ...t.claims, sub: `${t.claims.sub}\ud800` } }),
  'a foreign key': ({ claims, kid }) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(foreign.privateKey),
  'a foreign key in its own header': ({ claims }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', jwk: foreign.publicKey.export({ format: 'jwk' }) as never })
      .sign(foreign.privateKey),
  'no signature': ({ claims }) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
  'an unknown key': (t) => signed({ ...t, kid: 'never-seen' }),
  ES256: async ({ claims, kid }) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign((await generateKeyPair('ES256')).privateKey),
  'an altered payload': async (t) => {
    const [header, , signature] = (await signed(t)).split('.');
    return `${header}.${encode({ ...t.claims, sub: 'another-user' })}.${signature}`;
  },
  'five parts': async (t) => `${await signed(t)}.x.y`,
  'nothing in it': () => undefined,
  garbage: () => 'garbage',
};

// security 34; the same for the strategy that reads Google's answer and for the one behind Microsoft and Apple.
describe.each(['google', 'microsoft'] as const)('ID token of %s', (provider) => {
  let peer: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    peer = await ScriptedOpenId.start();
    const providers = { google: peer.settings, microsoft: peer.settings, github: null, apple: null };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const config = { redirect_uris: ['https://shop.example/cb'], allowed_providers: ['google', 'microsoft'] };
    app = { ...(await world.app(await world.tenant(), { registration_policy: 'open', config })) };
    app = { ...app, redirectUri: 'https://shop.example/cb' };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await peer.close();
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
    peer.user = providerUser();
  });

  afterEach(() => peer.reset());

  const signIn = async () => {
    const { location } = await browser.get(startPath(provider, app, { state: 'mine' }));
    const sent = new URL(location!).searchParams;
    peer.nonce = sent.get('nonce')!;
    const back = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    return follow(browser, await browser.get(`/oauth/${provider}/callback?${back.toString()}`));
  };

  const expectNobody = async () => {
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [peer.user['email']])).toEqual([]);
    expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [peer.user['sub']])).toEqual([]);
  };

  it('is accepted if it is genuine', async () => {
    const answer = await signIn();
    expect(answer.delivered.get('code')).toBeTruthy();
  });

  it.each(Object.keys(FORGERIES))('is rejected with %s', async (name) => {
    peer.make = FORGERIES[name]!;
    const answer = await signIn();
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual(['provider_error', 'mine']);
    await expectNobody();
  });

  it('is rejected with an HMAC whose key is the public key', async () => {
    const pem = JSON.stringify(await peer.publicJwk());
    for (const key of [pem, peer.settings.clientSecret]) {
      peer.make = ({ claims, kid }) => {
        const body = `${encode({ alg: 'HS256', kid })}.${encode(claims)}`;
        return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
      };
      expect((await signIn()).delivered.get('error')).toBe('provider_error');
    }
    await expectNobody();
  });

  it('with an unknown key id makes the service fetch the keys only once', async () => {
    await signIn();
    const before = peer.server.to('/jwks').length;
    peer.make = (t) => signed({ ...t, kid: `unknown-${Math.random()}` });
    for (let i = 0; i < 5; i++) expect((await signIn()).delivered.get('error')).toBe('provider_error');
    expect(peer.server.to('/jwks').length - before).toBeLessThanOrEqual(1);
  });
});
