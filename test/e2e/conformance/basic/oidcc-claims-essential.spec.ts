// oidcc-claims-essential: the claim name, requested as essential at userinfo, must not be an error, and is returned.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

const claims = JSON.stringify({ userinfo: { name: { essential: true } } });

it('oidcc-claims-essential: /userinfo returns the name requested as an essential claim without the scope profile', async () => {
  expect((await fixture.discovery())['claims_parameter_supported']).toBe(true);
  const { tokens } = await fixture.signIn({ claims, scope: 'openid' });
  expect((await fixture.userinfo(tokens.access_token)).body['name']).toBe('Ada Lovelace');
});
