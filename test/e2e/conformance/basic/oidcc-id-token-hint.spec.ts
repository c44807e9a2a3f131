// oidcc-id-token-hint: prompt=none with the ID token of the first sign-in as id_token_hint must succeed at once; sub
// and auth_time stay. With another user's ID token it must not (OpenID Connect Core section 3.1.2.1).
import { expect, it } from '@jest/globals';
import { openIdSignIn } from '../../../support/openid-sign-in.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-id-token-hint: prompt=none signs in silently with the user’s own ID token as hint', async () => {
  const first = await fixture.signIn();
  const { id_token } = first.tokens;
  const second = await fixture.signInSilently({ prompt: 'none', id_token_hint: id_token }, first.browser);
  expect([second.claims.sub, second.claims['auth_time']]).toEqual([first.claims.sub, first.claims['auth_time']]);
});

it('oidcc-id-token-hint: prompt=none returns login_required with another user’s ID token as hint', async () => {
  const first = await fixture.signIn();
  const other = await openIdSignIn(fixture.world, fixture.client, await fixture.world.user(fixture.client));
  const { id_token } = other.tokens;
  const answer = await fixture.visit({ prompt: 'none', id_token_hint: id_token }, first.browser);
  expect(fixture.errorOf(answer)).toBe('login_required');
});
