// oidcc-display-page: display=page must not be an error: a browser without a session gets the sign-in page.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-display-page: display=page shows the sign-in page', async () => {
  const browser = fixture.newBrowser();
  const page = await fixture.visit({ display: 'page' }, browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const answer = await browser.submit(page, { email: fixture.user.email, password: fixture.user.password });
  await fixture.checkTokens(await fixture.redeem(fixture.codeOf(answer)));
});
