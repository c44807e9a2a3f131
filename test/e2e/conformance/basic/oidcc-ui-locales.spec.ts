// oidcc-ui-locales: ui_locales with a language that is not spoken here must not be an error.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('shows its page all the same', async () => {
  expect((await stage.visit({ ui_locales: 'se' })).status).toBe(200);
  await stage.signIn({ ui_locales: 'se' });
});
