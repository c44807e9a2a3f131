// oidcc-prompt-none-logged-in: prompt=none in a browser where the user is signed in must succeed at once; sub and
// auth_time are those of the first sign-in.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-prompt-none-logged-in: prompt=none signs in silently with a session', async () => {
  const first = await fixture.signIn();
  const second = await fixture.signInSilently({ prompt: 'none' }, first.browser);
  expect([second.claims.sub, second.claims['auth_time']]).toEqual([first.claims.sub, first.claims['auth_time']]);
});
