// oidcc-server-client-secret-post: the code flow with client_secret_post; a wrong secret must be refused with
// invalid_client.
import { expect, it } from '@jest/globals';
import type { Failure } from '../../../support/post.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-server-client-secret-post: the token endpoint accepts the client secret in the body', async () => {
  const client = { client_id: stage.client.id, client_secret: stage.client.secret };
  await stage.checkTokens(await stage.redeem(stage.codeOf(await stage.authorize()), client, true));
});

it('oidcc-server-client-secret-post: the token endpoint returns invalid_client for a wrong client secret in the body', async () => {
  const client = { client_id: stage.client.id, client_secret: 'wrong' };
  const answer = await stage.redeem<Failure>(stage.codeOf(await stage.authorize()), client, true);
  expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
});
