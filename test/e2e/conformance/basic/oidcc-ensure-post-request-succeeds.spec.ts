// oidcc-ensure-post-request-succeeds: the authorization request by POST must work as by GET.
import { expect, it } from '@jest/globals';
import { postForm } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-post-request-succeeds: the authorization endpoint accepts a POST request', async () => {
  const browser = fixture.newBrowser();
  let page = await browser.postFromOutside('/login', fixture.request());
  if (page.location) page = await browser.get(page.location);
  expect(page.status).toBe(200);
  const answer = await browser.submit(page, { email: fixture.user.email, password: fixture.user.password });
  await fixture.checkTokens(await fixture.redeem(fixture.codeOf(answer)));
});

it('oidcc-ensure-post-request-succeeds: the authorization endpoint accepts a POST request without Sec-Fetch-Site', async () => {
  const answer = await postForm<string>(`${fixture.world.baseUrl}/login`, fixture.request(), { Accept: 'text/html' });
  expect([answer.status, answer.body.includes('name="password"')]).toEqual([200, true]);
});
