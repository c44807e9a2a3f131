// oidcc-scope-email: the scope email: userinfo must return email and email_verified, and no claims of other scopes.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-scope-email: /userinfo returns the email claims for the scope email', async () => {
  const { tokens } = await fixture.signIn({ scope: 'openid email' });
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: fixture.user.id,
    app_id: fixture.client.id,
    tenant_id: fixture.client.tenantId,
    email: fixture.user.email,
    email_verified: true,
  });
});
