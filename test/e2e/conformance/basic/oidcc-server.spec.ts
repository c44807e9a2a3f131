// oidcc-server: a plain code flow with client_secret_basic. The answer of the authorization endpoint carries code,
// state and iss; the token response a bearer token, its lifetime and an ID token with the right signature, issuer,
// audience, nonce, times and at_hash; the access token opens userinfo, whose sub is that of the ID token.
import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-server: the code flow with client_secret_basic signs in and opens /userinfo', async () => {
  const { tokens, claims } = await fixture.signIn({ scope: 'openid' });
  const hash = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16).toString('base64url');
  expect(claims['at_hash']).toBe(hash);
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect([status, body['sub']]).toEqual([200, claims.sub]);
});

it('oidcc-server: two sign-ins get different tokens', async () => {
  const [one, two] = [await fixture.signIn(), await fixture.signIn()];
  expect(one.tokens.access_token).not.toBe(two.tokens.access_token);
  expect(one.claims.jti).not.toBe(two.claims.jti);
});
