// oidcc-ui-locales: ui_locales with an unsupported language must not be an error.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ui-locales: the sign-in page is shown for an unsupported language in ui_locales', async () => {
  expect((await fixture.visit({ ui_locales: 'se' })).status).toBe(200);
  await fixture.signIn({ ui_locales: 'se' });
});
