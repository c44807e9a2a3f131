// oidcc-ensure-request-with-valid-pkce-succeeds: a request with PKCE must succeed, and the code then needs its
// verifier.
import { expect, it } from '@jest/globals';
import { PKCE, VERIFIER } from '../../../support/one-time-code.js';
import type { Failure } from '../../../support/post.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-ensure-request-with-valid-pkce-succeeds: the token endpoint accepts a code with its code_verifier', async () => {
  const code = stage.codeOf(await stage.authorize(PKCE));
  await stage.checkTokens(await stage.redeem(code, { code_verifier: VERIFIER }));
});

it('oidcc-ensure-request-with-valid-pkce-succeeds: the token endpoint returns invalid_grant for a code without its code_verifier', async () => {
  const code = stage.codeOf(await stage.authorize(PKCE));
  const answer = await stage.redeem<Failure>(code);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
});
