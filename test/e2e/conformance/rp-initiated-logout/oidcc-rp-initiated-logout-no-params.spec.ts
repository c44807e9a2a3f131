// oidcc-rp-initiated-logout-no-params: the end session endpoint without any parameter must sign the user out, after
// asking, and say so.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-rp-initiated-logout-no-params: /logout without parameters asks for confirmation and signs the user out', async () => {
  const { browser } = await stage.signIn();
  const page = await stage.logout(browser, {});
  expect(page.body).toContain('Sign out?');
  expect((await browser.submit(page, {})).body).toContain('You are signed out');
  expect(await stage.isSignedIn(browser)).toBe(false);
});
