// oidcc-display-page: display=page must not be an error: a browser without a session gets the sign-in page.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-display-page: display=page shows the sign-in page', async () => {
  const browser = stage.newBrowser();
  const page = await stage.visit({ display: 'page' }, browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const answer = await browser.submit(page, { email: stage.user.email, password: stage.user.password });
  await stage.checkTokens(await stage.redeem(stage.codeOf(answer)));
});
