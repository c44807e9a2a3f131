// oidcc-ensure-request-with-valid-pkce-succeeds: a request with PKCE must succeed, and the code then needs its
// verifier.
import { expect, it } from '@jest/globals';
import { PKCE, VERIFIER } from '../../../support/one-time-code.js';
import type { Failure } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-request-with-valid-pkce-succeeds: the token endpoint accepts a code with its code_verifier', async () => {
  const code = fixture.codeOf(await fixture.authorize(PKCE));
  await fixture.checkTokens(await fixture.redeem(code, { code_verifier: VERIFIER }));
});

it('oidcc-ensure-request-with-valid-pkce-succeeds: the token endpoint returns invalid_grant for a code without its code_verifier', async () => {
  const code = fixture.codeOf(await fixture.authorize(PKCE));
  const answer = await fixture.redeem<Failure>(code);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
});
