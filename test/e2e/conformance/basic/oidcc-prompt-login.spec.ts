// oidcc-prompt-login: a second request with prompt=login must ask for credentials although the user is signed in;
// auth_time of the second ID token is later.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-prompt-login: prompt=login asks a signed-in user for credentials again', async () => {
  const first = await fixture.signIn();
  await fixture.world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '10 seconds' WHERE user_id = $1`, [
    fixture.user.id,
  ]);
  const page = await fixture.visit({ prompt: 'login' }, first.browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const second = await fixture.signIn({ prompt: 'login' }, first.browser);
  expect(second.claims.sub).toBe(first.claims.sub);
  expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']) - 10);
});
