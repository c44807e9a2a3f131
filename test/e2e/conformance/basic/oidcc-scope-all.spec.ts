// oidcc-scope-all: all scopes of OpenID Connect at once: userinfo must bring all that there is.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('answers at userinfo for the scope', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid profile email address phone' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.person.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
    name: 'Ada Lovelace',
    preferred_username: stage.person.email,
    updated_at: expect.any(Number),
    email: stage.person.email,
    email_verified: true,
  });
});
