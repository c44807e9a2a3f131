import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { basic, postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

// security 69, 70
describe('POST /token/revoke', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const signIn = async (): Promise<Tokens & { user: TestUser }> => {
    const user = await world.user(app);
    return { ...(await world.tokens(user, app.id)), user };
  };
  const revoke = (refresh_token: unknown) => world.call('POST', '/token/revoke', { refresh_token });
  const introspect = async (token: string) =>
    (await postForm<object>(`${world.baseUrl}/token/introspect`, { token }, basic(app.id, app.secret))).body;
  const refresh = (refresh_token: string) =>
    world.call<Tokens & { detail: string }>('POST', '/token/refresh', { refresh_token, app_id: app.id });

  it('revokes the token before it answers', async () => {
    const { refresh_token } = await signIn();
    const answer = await revoke(refresh_token);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const refused = await refresh(refresh_token);
    expect([refused.status, refused.body.detail]).toEqual([401, 'Invalid or expired refresh token']);
  });

  it('returns 200 for an unknown token, a changed one, and a second time', async () => {
    const { refresh_token, access_token } = await signIn();
    for (const token of ['nobody’s', `${access_token}x`, 'a.b.c', refresh_token, refresh_token]) {
      const { status, body } = await revoke(token);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('revokes the children too when a spent token is revoked', async () => {
    const { refresh_token } = await signIn();
    const child = await refresh(refresh_token);
    await revoke(refresh_token);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
  });

  it('ends the sign-in of an access token as well (RFC 7009 section 2.1)', async () => {
    const { refresh_token, access_token, user } = await signIn();
    const other = await world.tokens(user, app.id);
    const child = (await refresh(refresh_token)).body;
    expect((await postForm(`${world.baseUrl}/token/revoke`, { token: access_token })).status).toBe(200);
    expect(await introspect(child.access_token)).toEqual({ active: false });
    expect(await introspect(other.access_token)).toMatchObject({ active: true });
    expect((await refresh(child.refresh_token)).status).toBe(401);
  });

  describe('with a client id', () => {
    const by = (token: string, fields: Record<string, string>, headers = {}) =>
      postForm(`${world.baseUrl}/token/revoke`, { token, ...fields }, headers);

    it('accepts the right secret, by post and by HTTP Basic, and a public client’s id alone', async () => {
      const client = { client_id: app.id, client_secret: app.secret };
      for (const [fields, headers] of [[client, {}] as const, [{}, basic(app.id, app.secret)] as const]) {
        const { refresh_token } = await signIn();
        expect((await by(refresh_token, fields, headers)).status).toBe(200);
        expect((await refresh(refresh_token)).status).toBe(401);
      }
      const { refresh_token } = await signIn();
      expect((await by(refresh_token, { client_id: app.id })).status).toBe(200);
    });

    it('rejects wrong credentials and keeps the token (RFC 7009 section 2.1)', async () => {
      const { refresh_token } = await signIn();
      const unknown = '00000000-0000-4000-8000-000000000000';
      for (const [fields, headers] of [
        [{ client_id: app.id, client_secret: 'wrong' }, {}] as const,
        [{}, basic(app.id, 'wrong')] as const,
        [{ client_id: unknown }, {}] as const,
        [{ client_secret: 'wrong' }, {}] as const,
        [{}, basic('', 'wrong')] as const,
      ]) {
        const { status, body } = await by(refresh_token, fields, headers);
        expect([status, body.error]).toEqual([401, 'invalid_client']);
      }
      expect((await refresh(refresh_token)).status).toBe(200);
    });

    it('rejects another client’s refresh and access tokens', async () => {
      const other = await world.app({ id: app.tenantId, name: '', consoleAppId: '' });
      const { refresh_token, access_token } = await signIn();
      for (const token of [refresh_token, access_token]) {
        const { status, body } = await by(token, {}, basic(other.id, other.secret));
        expect([status, body.error, body.detail]).toEqual([400, 'invalid_grant', 'Token does not belong to this app']);
      }
      expect((await refresh(refresh_token)).status).toBe(200);
    });

    it('requires authentication of a confidential client', async () => {
      const closed = await world.app(
        { id: app.tenantId, name: '', consoleAppId: '' },
        { config: { client_type: 'confidential' } },
      );
      const { refresh_token } = await world.tokens(await world.user(closed), closed.id);
      for (const fields of [{}, { client_id: closed.id }] as Record<string, string>[]) {
        const { status, body } = await by(refresh_token, fields);
        expect([status, body.error]).toEqual([401, 'invalid_client']);
      }
      expect((await by(refresh_token, {}, basic(closed.id, closed.secret))).status).toBe(200);
    });
  });

  it('keeps other sign-ins of the user', async () => {
    const { refresh_token, user } = await signIn();
    const other = await world.tokens(user, app.id);
    await revoke(refresh_token);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('by an access token alone ends its sign-in and makes a later refresh no replay', async () => {
    const user = await world.user(app);
    const [first, other] = [await world.tokens(user, app.id), await world.tokens(user, app.id)];
    await revoke(first.access_token);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('makes a later refresh a replay, which ends all other sign-ins', async () => {
    const { refresh_token, user } = await signIn();
    const other = await world.tokens(user, app.id);
    await revoke(refresh_token);
    expect((await refresh(refresh_token)).status).toBe(401);
    expect((await refresh(other.refresh_token)).status).toBe(401);
    const actions = await world.sql<{ action: string }>(
      `SELECT action FROM audit_entries WHERE user_id = $1 AND action IN ('session.revoked', 'token.replay_detected')
       ORDER BY created_at`,
      [user.id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['session.revoked', 'token.replay_detected']);
  });

  it('accepts RFC 7009’s form with its field `token` and a hint', async () => {
    const { refresh_token } = await signIn();
    const answer = await postForm(`${world.baseUrl}/token/revoke`, {
      token: refresh_token,
      token_type_hint: 'refresh_token',
    });
    expect(answer.status).toBe(200);
    expect((await refresh(refresh_token)).status).toBe(401);
  });

  it.each([[{}], [{ refresh_token: null }], [{ refresh_token: ['a'] }], [{ refresh_token: '' }]])(
    'returns 422 and invalid_request for %j',
    async (body) => {
      const answer = await world.call('POST', '/token/revoke', body);
      expect([answer.status, answer.body['error']]).toEqual([422, 'invalid_request']);
    },
  );

  it('returns 400 with a description for a form without a token (RFC 6749 section 5.2)', async () => {
    const answer = await postForm(`${world.baseUrl}/token/revoke`, { token: '' });
    expect(answer.body).toMatchObject({ error: 'invalid_request', error_description: 'refresh_token: Field required' });
    expect(answer.status).toBe(400);
  });

  it('leaves no working token when it races a refresh (security 69)', async () => {
    for (let round = 0; round < 15; round++) {
      const { refresh_token } = await signIn();
      const [revoked, refreshed] = await Promise.all([revoke(refresh_token), refresh(refresh_token)]);
      expect(revoked.status).toBe(200);
      if (refreshed.status === 200) expect((await refresh(refreshed.body.refresh_token)).status).toBe(401);
      expect((await refresh(refresh_token)).status).toBe(401);
    }
  });
});
