// oidcc-idtoken-unsigned: asks for an ID token signed with none. Only for servers that offer it: this service does not,
// and signs whatever the request says.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-idtoken-unsigned: the discovery document lists no unsigned ID tokens', async () => {
  expect((await fixture.discovery())['id_token_signing_alg_values_supported']).toEqual(['RS256']);
});

it('oidcc-idtoken-unsigned: the ID token is signed even if the request asks for alg none', async () => {
  await fixture.signIn({ id_token_signed_response_alg: 'none' });
});
