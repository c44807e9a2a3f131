// oidcc-scope-email: the scope email: userinfo must return email and email_verified, and no claims of other scopes.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-scope-email: /userinfo returns the email claims for the scope email', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid email' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.user.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
    email: stage.user.email,
    email_verified: true,
  });
});
