// oidcc-rp-initiated-logout-modified-id-token-hint: an id_token_hint that was changed to alg none: the OP must not
// redirect and must show an error or ask. Ours asks, and stays with us afterwards: nobody has proven whose address it
// is.
import { expect, it } from '@jest/globals';
import { jwtPart } from '../../../support/jwt-parts.js';
import { GOODBYE, onStage } from '../../../support/conformance.js';

const stage = onStage();

it('asks, and does not go on', async () => {
  const { browser, tokens } = await stage.signIn();
  const [, payload] = tokens.id_token.split('.');
  const unsigned = `${jwtPart({ alg: 'none', typ: 'JWT' })}.${payload!}.`;
  const page = await stage.logout(browser, { id_token_hint: unsigned, post_logout_redirect_uri: GOODBYE });
  expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
  expect(await stage.isSignedIn(browser)).toBe(true);
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
});
