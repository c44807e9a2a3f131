// oidcc-claims-locales: claims_locales with an unsupported language must not be an error.
import { it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-claims-locales: the sign-in succeeds with an unsupported language in claims_locales', async () => {
  await stage.signIn({ claims_locales: 'se' });
});
