// oidcc-scope-profile: the scope profile: userinfo must return the name and the other profile claims, and no claims of
// other scopes.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-scope-profile: /userinfo returns the profile claims for the scope profile', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid profile' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.user.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: stage.user.email,
    updated_at: expect.any(Number),
  });
});
