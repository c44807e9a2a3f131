// oidcc-alternate-happy-flow: the order of the scopes and of the parameters must not matter (RFC 6749 section 3.3).
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-alternate-happy-flow: the authorization endpoint accepts parameters and scopes in any order', async () => {
  const backwards = Object.entries(fixture.request({ scope: 'email profile openid' })).reverse();
  const browser = fixture.newBrowser();
  const path = `/login?${new URLSearchParams(backwards).toString()}`;
  const answer = await browser.signIn(path, fixture.user.email, fixture.user.password);
  const response = await fixture.redeem(fixture.codeOf(answer));
  await fixture.checkTokens(response);
  expect((await fixture.userinfo(response.body.access_token)).body).toMatchObject({ email: fixture.user.email });
});
