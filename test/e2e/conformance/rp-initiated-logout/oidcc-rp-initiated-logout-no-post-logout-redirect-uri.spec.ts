// oidcc-rp-initiated-logout-no-post-logout-redirect-uri: id_token_hint and state without post_logout_redirect_uri: the
// OP must sign the user out and say so itself.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: /logout without post_logout_redirect_uri signs the user out and shows a page', async () => {
  const { browser, tokens } = await fixture.signIn();
  const answer = await fixture.logout(browser, { id_token_hint: tokens.id_token, state: 'goodbye' });
  expect((await browser.get(answer.location!)).body).toContain('You are signed out');
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
