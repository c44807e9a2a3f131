// oidcc-max-age-10000: with max_age=10000 a recent sign-in is enough: no page, and auth_time in both ID tokens is the
// same.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-max-age-10000: max_age=10000 signs in silently after a recent sign-in', async () => {
  const first = await fixture.signIn({ max_age: '10000' });
  const second = await fixture.signInSilently({ max_age: '10000' }, first.browser);
  expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
});
