// oidcc-ensure-request-with-acr-values-succeeds: acr_values of acr_values_supported are voluntary: the sign-in must
// succeed. An acr in the ID token is optional, and a user with one factor has none.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-request-with-acr-values-succeeds: the sign-in succeeds with acr_values', async () => {
  const { acr_values_supported: values } = (await fixture.discovery()) as { acr_values_supported: string[] };
  const { claims } = await fixture.signIn({ acr_values: values.join(' ') });
  expect(claims).not.toHaveProperty('acr');
});
