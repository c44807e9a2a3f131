// oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: a post_logout_redirect_uri that is not registered: the OP
// must not redirect and must show an error or ask.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: /logout with an unregistered post_logout_redirect_uri shows an error and keeps the session', async () => {
  const { browser, tokens } = await fixture.signIn();
  const sent = {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: 'https://client.example/other',
    state: 'goodbye',
  };
  const answer = await fixture.logout(browser, sent);
  expect([answer.status, answer.location]).toEqual([400, null]);
  expect(answer.body).toContain('post_logout_redirect_uri');
  expect(await fixture.isSignedIn(browser)).toBe(true);
});
