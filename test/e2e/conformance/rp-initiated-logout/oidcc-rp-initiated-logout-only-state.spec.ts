// oidcc-rp-initiated-logout-only-state: the end session endpoint with nothing but state must sign the user out, after
// asking, and say so.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-only-state: /logout with state only asks for confirmation and signs the user out', async () => {
  const { browser } = await fixture.signIn();
  const page = await fixture.logout(browser, { state: 'goodbye' });
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
  expect(await fixture.isSignedIn(browser)).toBe(false);
});
