// oidcc-ensure-request-with-unknown-parameter-succeeds: a parameter that no specification defines must be ignored (RFC
// 6749 section 3.1).
import { it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-request-with-unknown-parameter-succeeds: the authorization endpoint ignores an unknown parameter', async () => {
  await fixture.signIn({ extra: 'foobar' });
});
