// oidcc-id-token-hint: prompt=none with the ID token of the first sign-in as id_token_hint must succeed at once; sub
// and auth_time stay. With another user's ID token it must not (OpenID Connect Core section 3.1.2.1).
import { expect, it } from '@jest/globals';
import { openIdSignIn } from '../../../support/openid-sign-in.js';
import { onStage } from '../../../support/conformance.js';

const stage = onStage();

it('oidcc-id-token-hint: prompt=none signs in silently with the user’s own ID token as hint', async () => {
  const first = await stage.signIn();
  const { id_token } = first.tokens;
  const second = await stage.signInSilently({ prompt: 'none', id_token_hint: id_token }, first.browser);
  expect([second.claims.sub, second.claims['auth_time']]).toEqual([first.claims.sub, first.claims['auth_time']]);
});

it('oidcc-id-token-hint: prompt=none returns login_required with another user’s ID token as hint', async () => {
  const first = await stage.signIn();
  const other = await openIdSignIn(stage.world, stage.client, await stage.world.user(stage.client));
  const { id_token } = other.tokens;
  const answer = await stage.visit({ prompt: 'none', id_token_hint: id_token }, first.browser);
  expect(stage.errorOf(answer)).toBe('login_required');
});
