// oidcc-rp-initiated-logout-only-state: the end session endpoint with nothing but state must sign the user out, after
// asking, and say so.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-rp-initiated-logout-only-state: /logout with state only asks for confirmation and signs the user out', async () => {
  const { browser } = await stage.signIn();
  const page = await stage.logout(browser, { state: 'goodbye' });
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
  expect(await stage.isSignedIn(browser)).toBe(false);
});
