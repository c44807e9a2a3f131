// oidcc-rp-initiated-logout-discovery-endpoint-verification: the discovery document has end_session_endpoint.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-rp-initiated-logout-discovery-endpoint-verification: the discovery document has end_session_endpoint', async () => {
  expect((await stage.discovery())['end_session_endpoint']).toBe(`${stage.world.baseUrl}/logout`);
});
