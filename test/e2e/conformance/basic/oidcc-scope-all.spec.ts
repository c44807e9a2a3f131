// oidcc-scope-all: all scopes of OpenID Connect at once: userinfo must return all supported claims.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-scope-all: /userinfo returns all supported claims for all scopes', async () => {
  const { tokens } = await fixture.signIn({ scope: 'openid profile email address phone' });
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: fixture.user.id,
    app_id: fixture.client.id,
    tenant_id: fixture.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: fixture.user.email,
    updated_at: expect.any(Number),
    email: fixture.user.email,
    email_verified: true,
  });
});
