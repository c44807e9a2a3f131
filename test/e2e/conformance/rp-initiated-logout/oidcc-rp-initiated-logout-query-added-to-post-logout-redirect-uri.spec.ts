// oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: a registered post_logout_redirect_uri with foo=bar
// added: the OP must not redirect and must show an error or ask.
import { expect, it } from '@jest/globals';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: /logout with a query added to the registered URI shows an error and keeps the session', async () => {
  const { browser, tokens } = await fixture.signIn();
  const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: `${GOODBYE}&foo=bar`, state: 'goodbye' };
  const answer = await fixture.logout(browser, sent);
  expect([answer.status, answer.location]).toEqual([400, null]);
  expect(answer.body).toContain('post_logout_redirect_uri');
  expect(await fixture.isSignedIn(browser)).toBe(true);
});
