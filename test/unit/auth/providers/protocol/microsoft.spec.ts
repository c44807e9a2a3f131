import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { MicrosoftStrategy } from '../../../../../src/auth/providers/protocol/microsoft.strategy.js';
import { ProviderHttp } from '../../../../../src/auth/providers/protocol/provider-http.js';
import type { ProviderStates } from '../../../../../src/auth/providers/state/provider-states.service.js';
import { SystemClock } from '../../../../../src/common/system-clock.js';
import { readProviders } from '../../../../../src/config/read-providers.js';
import type { Settings } from '../../../../../src/config/settings.js';

const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const settings = readProviders({ MICROSOFT_CLIENT_ID: 'client', MICROSOFT_CLIENT_SECRET: 'secret' }, []).microsoft!;

/** As after a callback whose state was good. */
const states = {
  use: () => Promise.resolve({ nonce: 'nonce', verifier: 'v'.repeat(43) }),
} as unknown as ProviderStates;

/** With the settings as they are for Microsoft itself, whose issuer names the tenant of the user. */
describe('Issuer at Microsoft', () => {
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let asked: string[];

  beforeAll(async () => {
    keys = await generateKeyPair('RS256');
  });

  const finish = async (claims: JWTPayload) => {
    asked = [];
    const http = new ProviderHttp();
    Object.assign(http, {
      fetch: async (address: string | URL) => {
        const url = new URL(address);
        asked.push(url.href);
        const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', use: 'sig', alg: 'RS256' };
        const idToken = await new SignJWT({ aud: 'client', sub: 'sub', nonce: 'nonce', ...claims })
          .setProtectedHeader({ alg: 'RS256', kid: 'k' })
          .setIssuedAt()
          .setExpirationTime('5m')
          .sign(keys.privateKey);
        const body = url.pathname.endsWith('/keys')
          ? { keys: [jwk] }
          : { access_token: 'at', token_type: 'Bearer', id_token: idToken };
        return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } });
      },
    });
    const all = { providers: { microsoft: settings }, baseUrl: 'https://id.example' } as unknown as Settings;
    const strategy = new MicrosoftStrategy(all, states, http, new SystemClock());
    return new Promise((success, error) => {
      // As Passport does it: the actions are put on an object of this request.
      const run = Object.assign(Object.create(strategy) as { authenticate(request: object, options: object): void }, {
        success,
        error,
      });
      run.authenticate({ query: { code: 'c', state: 's' } }, {});
    });
  };

  it('is the one of the token’s own tenant', async () => {
    const iss = `https://login.microsoftonline.com/${TENANT}/v2.0`;
    const identity = await finish({ iss, tid: TENANT, email: 'ada@example.com', email_verified: true, name: 'Ada' });
    expect(identity).toEqual({
      provider: 'microsoft',
      subject: 'sub',
      email: 'ada@example.com',
      emailVerified: false,
      displayName: 'Ada',
    });
    expect(asked).toEqual([settings.tokenUrl, settings.jwksUrl]);
  });

  it.each([
    ['another tenant', 'https://login.microsoftonline.com/common/v2.0'],
    ['another host', `https://login.example.com/${TENANT}/v2.0`],
    ['the placeholder', 'https://login.microsoftonline.com/{tenantid}/v2.0'],
  ])('is rejected with %s', async (_, iss) => {
    await expect(finish({ iss, tid: TENANT })).rejects.toThrow();
  });
});
