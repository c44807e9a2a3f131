// oidcc-rp-initiated-logout: after a sign-in, the end session endpoint with id_token_hint, a registered
// post_logout_redirect_uri and state sends the browser there with exactly that state; a silent sign-in then fails.
import { expect, it } from '@jest/globals';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout: /logout signs the user out and redirects with state', async () => {
  const { browser, tokens } = await fixture.signIn();
  const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE, state: 'goodbye' };
  const answer = await fixture.logout(browser, sent);
  expect([answer.status, answer.location]).toEqual([302, `${GOODBYE}&state=goodbye`]);
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
