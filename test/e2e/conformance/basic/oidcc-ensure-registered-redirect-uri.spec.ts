// oidcc-ensure-registered-redirect-uri: a redirect_uri that is not registered must show an error page that says so,
// and never a redirect.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('shows an error page', async () => {
  const answer = await stage.visit({ redirect_uri: `${stage.client.redirectUri}/unregistered` });
  expect([answer.status, answer.location]).toEqual([400, null]);
  expect(answer.body).toContain('redirect_uri');
});
