// oidcc-rp-initiated-logout-discovery-endpoint-verification: the discovery document has end_session_endpoint.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-rp-initiated-logout-discovery-endpoint-verification: the discovery document has end_session_endpoint', async () => {
  expect((await fixture.discovery())['end_session_endpoint']).toBe(`${fixture.world.baseUrl}/logout`);
});
