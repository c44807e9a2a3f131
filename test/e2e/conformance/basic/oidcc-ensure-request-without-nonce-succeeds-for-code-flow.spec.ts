// oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the code flow needs no nonce: without one the sign-in
// succeeds, and the ID token has none.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the sign-in succeeds without a nonce', async () => {
  const answer = await fixture.authorize({ nonce: '' });
  const claims = await fixture.checkTokens(await fixture.redeem(fixture.codeOf(answer)), null);
  expect(claims).not.toHaveProperty('nonce');
});
