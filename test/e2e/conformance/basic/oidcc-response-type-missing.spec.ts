// oidcc-response-type-missing: a request without response_type must come back with unsupported_response_type or
// invalid_request, or show an error page.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-response-type-missing: a missing response_type redirects to the client with an error', async () => {
  expect(stage.errorOf(await stage.visit({ response_type: '' }))).toBe('invalid_request');
});
