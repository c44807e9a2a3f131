// oidcc-rp-initiated-logout-no-id-token-hint: post_logout_redirect_uri without id_token_hint: the OP must not redirect
// and must show an error or ask.
import { expect, it } from '@jest/globals';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-no-id-token-hint: /logout without id_token_hint asks for confirmation and does not redirect', async () => {
  const { browser } = await fixture.signIn();
  const page = await fixture.logout(browser, { post_logout_redirect_uri: GOODBYE, state: 'goodbye' });
  expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
