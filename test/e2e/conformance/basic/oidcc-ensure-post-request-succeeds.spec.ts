// oidcc-ensure-post-request-succeeds: the authorization request by POST must work as by GET.
import { expect, it } from '@jest/globals';
import { postForm } from '../../../support/post.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-ensure-post-request-succeeds: the authorization endpoint accepts a POST request', async () => {
  const browser = stage.newBrowser();
  let page = await browser.postFromOutside('/login', stage.request());
  if (page.location) page = await browser.get(page.location);
  expect(page.status).toBe(200);
  const answer = await browser.submit(page, { email: stage.user.email, password: stage.user.password });
  await stage.checkTokens(await stage.redeem(stage.codeOf(answer)));
});

it('oidcc-ensure-post-request-succeeds: the authorization endpoint accepts a POST request without Sec-Fetch-Site', async () => {
  const answer = await postForm<string>(`${stage.world.baseUrl}/login`, stage.request(), { Accept: 'text/html' });
  expect([answer.status, answer.body.includes('name="password"')]).toEqual([200, true]);
});
