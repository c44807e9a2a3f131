// oidcc-scope-phone: the scope phone is not supported: it must not be an error, and returns no number.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-scope-phone: /userinfo returns no phone number for the scope phone', async () => {
  const { tokens } = await fixture.signIn({ scope: 'openid phone' });
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: fixture.user.id,
    app_id: fixture.client.id,
    tenant_id: fixture.client.tenantId,
  });
});
