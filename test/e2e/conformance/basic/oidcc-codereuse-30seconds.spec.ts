// oidcc-codereuse-30seconds: a code that is used a second time after thirty seconds must be refused with invalid_grant,
// and its tokens should be revoked. Apps verify access tokens of this service offline until they expire; the refresh
// tokens are revoked.
import { expect, it } from '@jest/globals';
import type { Failure } from '../../../support/post.js';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-codereuse-30seconds: a code used again after 30 seconds returns invalid_grant and its refresh token is revoked', async () => {
  const code = fixture.codeOf(await fixture.authorize());
  const { body } = await fixture.redeem(code);
  // Instead of waiting: it was issued and used half a minute ago.
  const changed = await fixture.world.sql(
    `UPDATE authorization_codes SET created_at = created_at - interval '30 seconds',
       expires_at = expires_at - interval '30 seconds', used_at = used_at - interval '30 seconds'
     WHERE user_id = $1 RETURNING 1`,
    [fixture.user.id],
  );
  expect(changed).toHaveLength(1);
  const again = await fixture.redeem<Failure>(code);
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
  const refreshed = await fixture.token<Failure>({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
  expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
});
