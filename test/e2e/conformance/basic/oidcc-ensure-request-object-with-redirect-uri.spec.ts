// oidcc-ensure-request-object-with-redirect-uri: a registered redirect_uri in a request object and an unregistered one
// in the query: servers that process request objects use the former, others show an error page. This service redirects
// to neither.
import { expect, it } from '@jest/globals';
import { jwtPart } from '../../../support/jwt-parts.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-ensure-request-object-with-redirect-uri: a request object with another redirect_uri shows an error page', async () => {
  const request = `${jwtPart({ alg: 'none' })}.${jwtPart(fixture.request())}.`;
  const answer = await fixture.visit({ request, redirect_uri: 'https://other.example/callback' });
  expect([answer.status, answer.location]).toEqual([400, null]);
});
