// oidcc-ensure-request-with-acr-values-succeeds: acr_values are voluntary: the sign-in must succeed. An acr in the ID
// token is optional, and without acr_values_supported there is none.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-ensure-request-with-acr-values-succeeds: the sign-in succeeds with acr_values', async () => {
  expect(await stage.discovery()).not.toHaveProperty('acr_values_supported');
  const { claims } = await stage.signIn({ acr_values: '1 2' });
  expect(claims).not.toHaveProperty('acr');
});
