// oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: a request object must be processed or
// refused with request_not_supported, never ignored. This service refuses it and states this in discovery.
import { expect, it } from '@jest/globals';
import { jwtPart } from '../../../support/jwt-parts.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: a request object returns request_not_supported', async () => {
  expect((await fixture.discovery())['request_parameter_supported']).toBe(false);
  const request = `${jwtPart({ alg: 'none' })}.${jwtPart(fixture.request({ state: 'inner' }))}.`;
  expect(fixture.errorOf(await fixture.visit({ request }))).toBe('request_not_supported');
});
