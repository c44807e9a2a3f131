// oidcc-prompt-none-not-logged-in: prompt=none in a browser where nobody is signed in must come back with
// login_required, without any page.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('answers login_required', async () => {
  expect(stage.errorOf(await stage.visit({ prompt: 'none' }))).toBe('login_required');
});
