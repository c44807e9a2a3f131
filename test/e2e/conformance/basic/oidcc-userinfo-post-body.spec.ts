// oidcc-userinfo-post-body: POST /userinfo with the access token in the form body. No standard asks for it; a server
// may refuse it with an HTTP error (a warning of the suite). This service accepts bearer tokens in the header only, and
// refuses it.
import { expect, it } from '@jest/globals';
import { postForm } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-userinfo-post-body: POST /userinfo returns 401 for an access token in the body', async () => {
  const { tokens } = await fixture.signIn();
  const { access_token } = tokens;
  const answer = await postForm(`${fixture.world.baseUrl}/userinfo`, { access_token });
  expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token']);
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer, DPoP /);
});
