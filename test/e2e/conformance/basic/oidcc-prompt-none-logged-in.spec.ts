// oidcc-prompt-none-logged-in: prompt=none in a browser where the user is signed in must succeed at once; sub and
// auth_time are those of the first sign-in.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-prompt-none-logged-in: prompt=none signs in silently with a session', async () => {
  const first = await stage.signIn();
  const second = await stage.signInSilently({ prompt: 'none' }, first.browser);
  expect([second.claims.sub, second.claims['auth_time']]).toEqual([first.claims.sub, first.claims['auth_time']]);
});
