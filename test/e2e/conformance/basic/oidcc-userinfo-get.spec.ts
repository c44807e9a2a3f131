// oidcc-userinfo-get: GET /userinfo with the access token in the header answers 200 with JSON whose sub is that of the
// ID token.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-userinfo-get: GET /userinfo returns 200 with the sub of the ID token', async () => {
  const { tokens, claims } = await fixture.signIn();
  const answer = await fixture.userinfo(tokens.access_token, 'GET');
  expect([answer.status, answer.body['sub']]).toEqual([200, claims.sub]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
});
