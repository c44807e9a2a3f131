// oidcc-codereuse: a code that is used a second time, at once, must be refused with invalid_grant.
import { expect, it } from '@jest/globals';
import type { Failure } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-codereuse: a code used again at once returns invalid_grant', async () => {
  const code = fixture.codeOf(await fixture.authorize());
  await fixture.checkTokens(await fixture.redeem(code));
  const again = await fixture.redeem<Failure>(code);
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
});
