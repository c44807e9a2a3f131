// oidcc-max-age-1: with max_age=1, more than a second after the first sign-in, the user must be asked again, and
// auth_time must be there and later than the first.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-max-age-1: max_age=1 asks for credentials after an older sign-in', async () => {
  const first = await fixture.signIn();
  // Instead of waiting: the sign-in was five seconds ago.
  await fixture.world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '5 seconds' WHERE user_id = $1`, [
    fixture.user.id,
  ]);
  const page = await fixture.visit({ max_age: '1' }, first.browser);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
  const second = await fixture.signIn({ max_age: '1' }, first.browser);
  expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']) - 5);
});
