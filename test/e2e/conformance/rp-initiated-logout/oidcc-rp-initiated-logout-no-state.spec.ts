// oidcc-rp-initiated-logout-no-state: like oidcc-rp-initiated-logout without state: the browser is redirected to
// post_logout_redirect_uri without a state.
import { expect, it } from '@jest/globals';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-no-state: /logout without state signs the user out and redirects without state', async () => {
  const { browser, tokens } = await fixture.signIn();
  const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE };
  expect((await fixture.logout(browser, sent)).location).toBe(GOODBYE);
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
