// oidcc-idtoken-signature: a client that asks for no algorithm gets an ID token signed with RS256, under a kid of the
// key set.
import { expect, it } from '@jest/globals';
import { readJwt } from '../../../support/jwt-parts.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-idtoken-signature: the ID token is signed with RS256 and a published key', async () => {
  const { tokens } = await fixture.signIn();
  const { header } = readJwt(tokens.id_token);
  expect(header['alg']).toBe('RS256');
  const { keys } = await fixture.keySet();
  expect(keys.filter(({ kid }) => kid === header['kid'])).toHaveLength(1);
});
