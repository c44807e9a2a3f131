// oidcc-ensure-registered-redirect-uri: a redirect_uri that is not registered must show an error page that says so, and
// never a redirect.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-registered-redirect-uri: an unregistered redirect_uri shows an error page with status 400', async () => {
  const answer = await fixture.visit({ redirect_uri: `${fixture.client.redirectUri}/unregistered` });
  expect([answer.status, answer.location]).toEqual([400, null]);
  expect(answer.body).toContain('redirect_uri');
});
