// oidcc-rp-initiated-logout-no-state: like oidcc-rp-initiated-logout without state: the browser is redirected to
// post_logout_redirect_uri without a state.
import { expect, it } from '@jest/globals';
import { GOODBYE, onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-rp-initiated-logout-no-state: /logout without state signs the user out and redirects without state', async () => {
  const { browser, tokens } = await stage.signIn();
  const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE };
  expect((await stage.logout(browser, sent)).location).toBe(GOODBYE);
  expect(await stage.isSignedIn(browser)).toBe(false);
});
