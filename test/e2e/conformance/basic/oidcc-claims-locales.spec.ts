// oidcc-claims-locales: claims_locales with a language that nothing is kept in must not be an error.
import { it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('signs in all the same', async () => {
  await stage.signIn({ claims_locales: 'se' });
});
