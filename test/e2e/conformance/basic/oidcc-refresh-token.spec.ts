// oidcc-refresh-token: a refresh token must work, return a valid ID token with the same sub, iss, aud and auth_time and
// without nonce, and be bound to the client that it was issued to.
import { expect, it } from '@jest/globals';
import type { OpenIdTokens } from '../../../support/openid-sign-in.js';
import type { Failure } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

const refresh = <Body>(refresh_token: string) => fixture.token<Body>({ grant_type: 'refresh_token', refresh_token });

it('oidcc-refresh-token: the token endpoint renews the tokens with a refresh token', async () => {
  const first = await fixture.signIn();
  const answer = await refresh<OpenIdTokens>(first.tokens.refresh_token);
  const claims = await fixture.checkTokens(answer, null);
  expect(claims['auth_time']).toBe(first.claims['auth_time']);
  expect(answer.body.refresh_token).not.toBe(first.tokens.refresh_token);
  expect((await fixture.userinfo(answer.body.access_token)).status).toBe(200);
});

it('oidcc-refresh-token: the token endpoint rejects a refresh token of another client', async () => {
  const { tokens } = await fixture.signIn();
  const other = await fixture.world.app(await fixture.world.tenant());
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  const client = { client_id: other.id, client_secret: other.secret };
  const answer = await fixture.token<Failure>({ ...fields, ...client }, true);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
});
