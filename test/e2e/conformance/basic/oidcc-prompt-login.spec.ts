// oidcc-prompt-login: a second request with prompt=login must ask for credentials although the user is signed in;
// auth_time of the second ID token is later.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-prompt-login: prompt=login asks a signed-in user for credentials again', async () => {
  const first = await stage.signIn();
  await stage.world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '10 seconds' WHERE user_id = $1`, [
    stage.user.id,
  ]);
  const page = await stage.visit({ prompt: 'login' }, first.browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const second = await stage.signIn({ prompt: 'login' }, first.browser);
  expect(second.claims.sub).toBe(first.claims.sub);
  expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']) - 10);
});
