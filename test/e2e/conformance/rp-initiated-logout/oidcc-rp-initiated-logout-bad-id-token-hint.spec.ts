// oidcc-rp-initiated-logout-bad-id-token-hint: an id_token_hint with valid claims and the signature of another key: the
// OP must not redirect and must show an error or ask.
import { expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { readJwt } from '../../../support/jwt-parts.js';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-bad-id-token-hint: /logout with an ID token signed by another key asks for confirmation and does not redirect', async () => {
  const { browser, tokens } = await fixture.signIn();
  const { header, payload } = readJwt(tokens.id_token);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = await new SignJWT(payload).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey);
  const page = await fixture.logout(browser, { id_token_hint: foreign, post_logout_redirect_uri: GOODBYE });
  expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
  expect(await fixture.isSignedIn(browser)).toBe(true);
});
