// oidcc-max-age-10000: with max_age=10000 a recent sign-in is enough: no page, and auth_time in both ID tokens is the
// same.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-max-age-10000: max_age=10000 signs in silently after a recent sign-in', async () => {
  const first = await stage.signIn({ max_age: '10000' });
  const second = await stage.signInSilently({ max_age: '10000' }, first.browser);
  expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
});
