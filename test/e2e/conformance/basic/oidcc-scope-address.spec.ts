// oidcc-scope-address: the scope address is not supported: it must not be an error, and returns no address.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-scope-address: /userinfo returns no address for the scope address', async () => {
  const { tokens } = await fixture.signIn({ scope: 'openid address' });
  const { status, body } = await fixture.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: fixture.user.id,
    app_id: fixture.client.id,
    tenant_id: fixture.client.tenantId,
  });
});
