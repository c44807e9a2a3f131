// oidcc-userinfo-post-header: POST /userinfo with the access token in the header answers as GET does.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-userinfo-post-header: POST /userinfo returns 200 with the access token in the header', async () => {
  const { tokens, claims } = await fixture.signIn();
  const answer = await fixture.userinfo(tokens.access_token, 'POST');
  expect([answer.status, answer.body]).toEqual([200, (await fixture.userinfo(tokens.access_token)).body]);
  expect(answer.body['sub']).toBe(claims.sub);
});
