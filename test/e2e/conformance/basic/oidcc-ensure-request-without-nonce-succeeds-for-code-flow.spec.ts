// oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the code flow needs no nonce: without one the sign-in
// succeeds, and the ID token has none.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the sign-in succeeds without a nonce', async () => {
  const answer = await stage.authorize({ nonce: '' });
  const claims = await stage.checkTokens(await stage.redeem(stage.codeOf(answer)), null);
  expect(claims).not.toHaveProperty('nonce');
});
