// oidcc-response-type-missing: a request without response_type must come back with unsupported_response_type or
// invalid_request, or show an error page.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-response-type-missing: a missing response_type redirects to the client with an error', async () => {
  expect(fixture.errorOf(await fixture.visit({ response_type: '' }))).toBe('invalid_request');
});
