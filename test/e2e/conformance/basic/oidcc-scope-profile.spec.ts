// oidcc-scope-profile: the scope profile: userinfo must bring the name and what else of the profile there is, and of
// the other scopes nothing.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('answers at userinfo for the scope', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid profile' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.person.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: stage.person.email,
    updated_at: expect.any(Number),
  });
});
