// oidcc-rp-initiated-logout-modified-id-token-hint: an id_token_hint that was changed to alg none: the OP must not
// redirect and must show an error or ask. This service asks, and then shows its own page: the request does not prove
// which app it comes from.
import { expect, it } from '@jest/globals';
import { jwtPart } from '../../../support/jwt-parts.js';
import { GOODBYE, useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-modified-id-token-hint: /logout with an unsigned ID token asks for confirmation and does not redirect', async () => {
  const { browser, tokens } = await fixture.signIn();
  const [, payload] = tokens.id_token.split('.');
  const unsigned = `${jwtPart({ alg: 'none', typ: 'JWT' })}.${payload!}.`;
  const page = await fixture.logout(browser, { id_token_hint: unsigned, post_logout_redirect_uri: GOODBYE });
  expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
  expect(await fixture.isSignedIn(browser)).toBe(true);
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
});
