// oidcc-idtoken-unsigned: asks for an ID token signed with none. Only for servers that offer it: ours must not, and
// signs all the same whatever a request says.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('offers no unsigned ID tokens', async () => {
  expect((await stage.discovery())['id_token_signing_alg_values_supported']).toEqual(['RS256']);
});

it('signs where a request asks it not to', async () => {
  await stage.signIn({ id_token_signed_response_alg: 'none' });
});
