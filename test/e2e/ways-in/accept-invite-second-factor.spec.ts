import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt, nextCode } from '../../support/authenticator.js';
import { acceptAlone, acceptNew, bearer, mailedInvite, newInvite, said, SIGN_IN } from '../../support/invites.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, ssoCookieOf } from '../../support/new-user.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, type World } from '../../support/world.js';

const TO_SET_UP = [403, { detail: { error: '2fa_required' } }];

// security 17, 85
describe('Second factor at an accepted invite', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let strict: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    [app, sibling] = [await world.app(tenant), await world.app(tenant)];
    strict = await world.app(tenant, { config: { require_2fa: true } });
  });

  afterAll(() => mailing.close());

  /** @returns what was got before the second factor was set up, and its secret */
  async function withSecondFactor(user: TestUser) {
    const login = await world.login(user, sibling.id);
    const token = login.body.access_token;
    const { password } = user;
    const { body } = await world.call<{ secret: string }>('POST', '/account/totp/setup', { password }, { token });
    const code = codeAt(body.secret);
    const confirmed = await world.call('POST', '/account/totp/confirm', { code }, { token });
    if (confirmed.status !== 200) throw new Error(`No second factor: ${JSON.stringify(confirmed.body)}`);
    return { secret: body.secret, token, cookie: ssoCookieOf(login)! };
  }
  const mailedTo = async (email: string, at: TestClient) => (await mailedInvite(mailing, at, email)).code;

  it('is required after the code from a mail, as after every first factor', async () => {
    const user = await world.user(sibling);
    const { secret } = await withSecondFactor(user);
    const asked = await acceptAlone(world, app, await mailedTo(user.email, app));
    expect(said(asked)).toEqual([200, { status: 'totp_required', totp_session: expect.any(String) }]);
    expect(asked.headers.getSetCookie()).toEqual([]);
    const tokens = 'SELECT 1 FROM refresh_families WHERE user_id = $1 AND app_id = $2';
    expect(await world.sql(tokens, [user.id, app.id])).toEqual([]);
    const { totp_session } = asked.body as unknown as { totp_session: string };
    const shown = await world.call<Tokens>('POST', '/auth/totp/verify', { totp_session, code: nextCode(secret) });
    expect(shown.status).toBe(200);
    // The app was given the code of the mail and this one: it gets its own tokens.
    expect(shown.headers.getSetCookie()).toEqual([]);
    const { payload } = readJwt(shown.body.access_token);
    expect(payload).toMatchObject({ sub: user.id, aud: app.id, amr: ['email', 'otp', 'mfa'] });
  });

  it('makes an older session or token invalid once it is set up', async () => {
    const user = await world.user(sibling);
    const { cookie, token } = await withSecondFactor(user);
    const { code } = await newInvite(world, app);
    for (const headers of [{ Cookie: cookie } as Record<string, string>, bearer(token)])
      expect(said(await acceptAlone(world, app, code, { email: user.email }, headers))).toEqual(SIGN_IN);
    const asked = await world.call('POST', '/auth/request-access', { app_id: app.id }, { headers: { Cookie: cookie } });
    expect(asked.status).toBe(401);
  });

  it('required by the app must be set up first by a new user, who is enrolled without tokens', async () => {
    const email = newAddress();
    const answer = await acceptNew(world, strict, (await newInvite(world, strict)).code, { email });
    expect(said(answer)).toEqual([403, { detail: { error: '2fa_required', setup_token: expect.any(String) } }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const rows = await world.sql(
      `SELECT e.status, (SELECT count(*)::int FROM refresh_families f WHERE f.user_id = u.id) AS families
       FROM users u JOIN enrollments e ON e.user_id = u.id WHERE u.email = $1`,
      [email],
    );
    expect(rows).toEqual([{ status: 'active', families: 0 }]);
  });

  it('required by the app cannot be set up with the code from a mail, by a user with an account', async () => {
    const user = await world.user(sibling);
    expect(said(await acceptAlone(world, strict, await mailedTo(user.email, strict)))).toEqual(TO_SET_UP);
  });

  it('required by the app must be set up first by a signed-in user too', async () => {
    const user = await world.user(sibling);
    const Cookie = ssoCookieOf(await world.login(user, sibling.id))!;
    const answer = await acceptAlone(world, strict, (await newInvite(world, strict)).code, {}, { Cookie });
    expect(said(answer)).toEqual([403, { detail: { error: '2fa_required', setup_token: expect.any(String) } }]);
  });

  // The server of an app holds its users' tokens, and its tenant's admin makes invites and demands a second factor.
  it.each([
    ['of the inviting app itself', SIGN_IN],
    ['of an app of the same tenant', TO_SET_UP],
  ])('cannot be set up with only a token %s', async (whose, refusal) => {
    const inviting = await world.app(tenant);
    const holder = whose === 'of the inviting app itself' ? inviting : sibling;
    const user = await world.user(holder);
    const token = (await world.login(user, holder.id)).body.access_token;
    await world.asAdmin('PUT', `/admin/apps/${inviting.id}`, { config: { require_2fa: true } });
    const { code } = await newInvite(world, inviting);
    expect(said(await acceptAlone(world, inviting, code, {}, bearer(token)))).toEqual(refusal);
  });

  it('can be set up with a session only while its sign-in is recent enough for the account page', async () => {
    const user = await world.user(sibling);
    const Cookie = ssoCookieOf(await world.login(user, sibling.id))!;
    await world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '301 seconds' WHERE user_id = $1`, [
      user.id,
    ]);
    const { code } = await newInvite(world, strict);
    expect(said(await acceptAlone(world, strict, code, {}, { Cookie }))).toEqual(TO_SET_UP);
  });
});
