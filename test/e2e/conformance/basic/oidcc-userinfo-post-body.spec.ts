// oidcc-userinfo-post-body: POST /userinfo with the access token in the form body. No standard asks for it; a server
// may refuse it with an HTTP error (a warning of the suite). Ours takes bearer tokens from the header alone, and
// refuses.
import { expect, it } from '@jest/globals';
import { postForm } from '../../../support/post.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('refuses a token in the body', async () => {
  const { tokens } = await stage.signIn();
  const { access_token } = tokens;
  const answer = await postForm(`${stage.world.baseUrl}/userinfo`, { access_token });
  expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token']);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});
