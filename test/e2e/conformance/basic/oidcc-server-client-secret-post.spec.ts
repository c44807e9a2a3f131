// oidcc-server-client-secret-post: the code flow with client_secret_post; a wrong secret must be refused with
// invalid_client.
import { expect, it } from '@jest/globals';
import type { Failure } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-server-client-secret-post: the token endpoint accepts the client secret in the body', async () => {
  const client = { client_id: fixture.client.id, client_secret: fixture.client.secret };
  await fixture.checkTokens(await fixture.redeem(fixture.codeOf(await fixture.authorize()), client, true));
});

it('oidcc-server-client-secret-post: the token endpoint returns invalid_client for a wrong client secret in the body', async () => {
  const client = { client_id: fixture.client.id, client_secret: 'wrong' };
  const answer = await fixture.redeem<Failure>(fixture.codeOf(await fixture.authorize()), client, true);
  expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
});
