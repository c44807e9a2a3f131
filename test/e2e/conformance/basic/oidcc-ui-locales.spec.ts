// oidcc-ui-locales: ui_locales with an unsupported language must not be an error.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-ui-locales: the sign-in page is shown for an unsupported language in ui_locales', async () => {
  expect((await stage.visit({ ui_locales: 'se' })).status).toBe(200);
  await stage.signIn({ ui_locales: 'se' });
});
