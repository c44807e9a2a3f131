// oidcc-scope-address: the scope address is not supported: it must not be an error, and returns no address.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-scope-address: /userinfo returns no address for the scope address', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid address' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.user.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
  });
});
