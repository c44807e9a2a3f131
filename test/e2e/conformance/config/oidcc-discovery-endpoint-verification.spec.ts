// oidcc-discovery-endpoint-verification: the discovery document is JSON, its issuer is the start of its own URL, its
// endpoints answer, and it has every member that OpenID Connect Discovery section 3 requires, with values of the right
// kind; the key set is valid and contains public keys only.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

const REQUIRED = {
  issuer: expect.any(String),
  authorization_endpoint: expect.any(String),
  token_endpoint: expect.any(String),
  userinfo_endpoint: expect.any(String),
  jwks_uri: expect.any(String),
  scopes_supported: expect.arrayContaining(['openid']),
  response_types_supported: expect.arrayContaining(['code']),
  grant_types_supported: expect.arrayContaining(['authorization_code']),
  subject_types_supported: expect.arrayContaining(['public']),
  id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
  claims_supported: expect.arrayContaining(['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce']),
  code_challenge_methods_supported: ['S256'],
};

it('oidcc-discovery-endpoint-verification: the discovery document has all required members', async () => {
  const document = await fixture.discovery();
  expect(document).toMatchObject(REQUIRED);
  expect(document['issuer']).toBe(fixture.world.baseUrl);
  for (const [name, value] of Object.entries(document)) {
    if (name.endsWith('_endpoint') || name.endsWith('_uri')) expect(String(value)).toMatch(/^http:\/\/127\.0\.0\.1:/);
    if (
      /_values_supported$|_methods_supported$|_types_supported$|_modes_supported$|^(scopes|claims)_supported$/.test(
        name,
      )
    )
      expect([name, Array.isArray(value) && value.every((each) => isWord(name, String(each)))]).toEqual([name, true]);
  }
});

/** Values of acr (OpenID Connect Core section 2) and extension grants (RFC 6749 section 4.5) may be absolute URIs. */
function isWord(list: string, value: string): boolean {
  return (
    /^[\w:]+$/.test(value) || (['acr_values_supported', 'grant_types_supported'].includes(list) && URL.canParse(value))
  );
}

it('oidcc-discovery-endpoint-verification: the discovery document names endpoints that exist', async () => {
  const document = await fixture.discovery();
  for (const name of Object.keys(document).filter((each) => each.endsWith('_endpoint'))) {
    const { status } = await fetch(String(document[name]), { redirect: 'manual', method: 'POST' });
    expect([name, status !== 404 && status < 500]).toEqual([name, true]);
  }
});

it('oidcc-discovery-endpoint-verification: the key set contains public keys with distinct key ids', async () => {
  const { keys } = await fixture.keySet();
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});
