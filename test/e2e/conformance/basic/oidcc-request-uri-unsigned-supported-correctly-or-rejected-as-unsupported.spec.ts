// oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: a request_uri must be honored or refused
// with request_uri_not_supported. This service refuses it, states this in discovery, and fetches nothing.
import { expect, it } from '@jest/globals';
import { startListeningApp } from '../../../support/listening-app.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: a request_uri returns request_uri_not_supported and is not fetched', async () => {
  expect((await fixture.discovery())['request_uri_parameter_supported']).toBe(false);
  const canary = await startListeningApp();
  try {
    const answer = await fixture.visit({ request_uri: `${canary.origin}/request.jwt` });
    expect(fixture.errorOf(answer)).toBe('request_uri_not_supported');
    expect(canary.calls).toEqual([]);
  } finally {
    await canary.close();
  }
});
