// oidcc-rp-initiated-logout-no-state: as the plain one without state: the browser goes to post_logout_redirect_uri,
// and no state is made up.
import { expect, it } from '@jest/globals';
import { GOODBYE, onStage } from '../../../support/conformance.js';

const stage = onStage();

it('signs out and goes on without state', async () => {
  const { browser, tokens } = await stage.signIn();
  const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE };
  expect((await stage.logout(browser, sent)).location).toBe(GOODBYE);
  expect(await stage.isSignedIn(browser)).toBe(false);
});
