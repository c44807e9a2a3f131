// oidcc-alternate-happy-flow: the order of the scopes and of the parameters must not matter (RFC 6749 section 3.3).
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-alternate-happy-flow: the authorization endpoint accepts parameters and scopes in any order', async () => {
  const backwards = Object.entries(stage.request({ scope: 'email profile openid' })).reverse();
  const browser = stage.newBrowser();
  const path = `/login?${new URLSearchParams(backwards).toString()}`;
  const answer = await browser.signIn(path, stage.user.email, stage.user.password);
  const response = await stage.redeem(stage.codeOf(answer));
  await stage.checkTokens(response);
  expect((await stage.userinfo(response.body.access_token)).body).toMatchObject({ email: stage.user.email });
});
