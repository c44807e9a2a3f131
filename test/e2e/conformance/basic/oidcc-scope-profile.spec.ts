// oidcc-scope-profile: the scope profile: userinfo must return the name and the other profile claims, and no claims of
// other scopes.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-scope-profile: /userinfo returns the profile claims for the scope profile', async () => {
  const { tokens } = await fixture.signIn({ scope: 'openid profile' });
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: fixture.user.id,
    app_id: fixture.client.id,
    tenant_id: fixture.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: fixture.user.email,
    updated_at: expect.any(Number),
  });
});
