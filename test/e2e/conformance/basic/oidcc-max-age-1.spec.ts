// oidcc-max-age-1: with max_age=1, more than a second after the first sign-in, the user must be asked again, and
// auth_time must be there and later than the first.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-max-age-1: max_age=1 asks for credentials after an older sign-in', async () => {
  const first = await stage.signIn();
  // Instead of waiting: the sign-in was five seconds ago.
  await stage.world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '5 seconds' WHERE user_id = $1`, [
    stage.user.id,
  ]);
  const page = await stage.visit({ max_age: '1' }, first.browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const second = await stage.signIn({ max_age: '1' }, first.browser);
  expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']) - 5);
});
