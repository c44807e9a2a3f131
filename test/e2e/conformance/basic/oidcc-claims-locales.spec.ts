// oidcc-claims-locales: claims_locales with an unsupported language must not be an error.
import { it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-claims-locales: the sign-in succeeds with an unsupported language in claims_locales', async () => {
  await fixture.signIn({ claims_locales: 'se' });
});
