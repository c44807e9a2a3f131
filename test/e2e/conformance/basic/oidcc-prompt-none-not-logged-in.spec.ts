// oidcc-prompt-none-not-logged-in: prompt=none in a browser without a session must come back with login_required,
// without any page.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-prompt-none-not-logged-in: prompt=none returns login_required without a session', async () => {
  expect(stage.errorOf(await stage.visit({ prompt: 'none' }))).toBe('login_required');
});
