// oidcc-scope-all: all scopes of OpenID Connect at once: userinfo must return all supported claims.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-scope-all: /userinfo returns all supported claims for all scopes', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid profile email address phone' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.user.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: stage.user.email,
    updated_at: expect.any(Number),
    email: stage.user.email,
    email_verified: true,
  });
});
