// oidcc-scope-phone: the scope phone is not supported: it must not be an error, and returns no number.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-scope-phone: /userinfo returns no phone number for the scope phone', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid phone' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.user.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
  });
});
