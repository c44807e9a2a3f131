// oidcc-codereuse: a code that is used a second time, at once, must be refused with invalid_grant.
import { expect, it } from '@jest/globals';
import type { Failure } from '../../../support/post.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-codereuse: a code used again at once returns invalid_grant', async () => {
  const code = stage.codeOf(await stage.authorize());
  await stage.checkTokens(await stage.redeem(code));
  const again = await stage.redeem<Failure>(code);
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
});
