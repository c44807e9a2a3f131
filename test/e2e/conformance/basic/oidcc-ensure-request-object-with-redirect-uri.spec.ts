// oidcc-ensure-request-object-with-redirect-uri: a good redirect_uri inside a request object and a bad one beside it:
// either the inner one is used (by servers that process request objects) or an error page is shown. Never a redirect
// to the bad one, and no answer to the good one either.
import { expect, it } from '@jest/globals';
import { jwtPart } from '../../../support/jwt-parts.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('shows an error page', async () => {
  const request = `${jwtPart({ alg: 'none' })}.${jwtPart(stage.request())}.`;
  const answer = await stage.visit({ request, redirect_uri: 'https://other.example/callback' });
  expect([answer.status, answer.location]).toEqual([400, null]);
});
