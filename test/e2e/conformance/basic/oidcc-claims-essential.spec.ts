// oidcc-claims-essential: the claim name, asked for as essential at userinfo, must not be an error. It should come;
// without support for the claims parameter (which discovery says) it comes with the scope profile.
import { expect, it } from '@jest/globals';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

const claims = JSON.stringify({ userinfo: { name: { essential: true } } });

it('signs in all the same', async () => {
  expect((await stage.discovery())['claims_parameter_supported']).toBe(false);
  await stage.signIn({ claims });
});

it('gives the name with the scope profile', async () => {
  const { tokens } = await stage.signIn({ claims, scope: 'openid profile' });
  expect((await stage.userinfo(tokens.access_token)).body['name']).toBe('Ada Lovelace');
});
