// oidcc-scope-address: the scope address is unknown here: it must not be an error, and brings no address.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('answers at userinfo for the scope', async () => {
  const { tokens } = await stage.signIn({ scope: 'openid address' });
  const { status, body } = await stage.userinfo(tokens.access_token);
  expect(status).toBe(200);
  expect(body).toEqual({
    sub: stage.person.id,
    app_id: stage.client.id,
    tenant_id: stage.client.tenantId,
  });
});
