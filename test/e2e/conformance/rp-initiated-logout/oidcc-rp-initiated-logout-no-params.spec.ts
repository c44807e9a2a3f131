// oidcc-rp-initiated-logout-no-params: the end session endpoint without any parameter must sign the user out, after
// asking, and say so.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-no-params: /logout without parameters asks for confirmation and signs the user out', async () => {
  const { browser } = await fixture.signIn();
  const page = await fixture.logout(browser, {});
  expect(page.body).toContain('Sign out?');
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
