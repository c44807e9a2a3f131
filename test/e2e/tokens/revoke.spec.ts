import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, type Tokens, World } from '../../support/world.js';

// security 69, 70
describe('POST /token/revoke', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const signIn = async (): Promise<Tokens & { person: Person }> => {
    const person = await world.person(app);
    return { ...(await world.tokens(person, app.id)), person };
  };
  const revoke = (refresh_token: unknown) => world.call('POST', '/token/revoke', { refresh_token });
  const refresh = (refresh_token: string) =>
    world.call<Tokens & { detail: string }>('POST', '/token/refresh', { refresh_token, app_id: app.id });

  it('ends the token before it answers', async () => {
    const { refresh_token } = await signIn();
    const answer = await revoke(refresh_token);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const refused = await refresh(refresh_token);
    expect([refused.status, refused.body.detail]).toEqual([401, 'Invalid or expired refresh token']);
  });

  it('answers 200 for an unknown token, an access token, a second time', async () => {
    const { refresh_token, access_token } = await signIn();
    for (const token of ['nobody’s', access_token, refresh_token, refresh_token]) {
      const { status, body } = await revoke(token);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('ends the children too when a spent token is given back', async () => {
    const { refresh_token } = await signIn();
    const child = await refresh(refresh_token);
    await revoke(refresh_token);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
  });

  it('leaves other sign-ins of the same person alone', async () => {
    const { refresh_token, person } = await signIn();
    const other = await world.tokens(person, app.id);
    await revoke(refresh_token);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('makes a later refresh a replay, which ends all the rest', async () => {
    const { refresh_token, person } = await signIn();
    const other = await world.tokens(person, app.id);
    await revoke(refresh_token);
    expect((await refresh(refresh_token)).status).toBe(401);
    expect((await refresh(other.refresh_token)).status).toBe(401);
    const actions = await world.sql<{ action: string }>(
      `SELECT action FROM audit_entries WHERE user_id = $1 AND action IN ('session.revoked', 'token.replay_detected')
       ORDER BY created_at`,
      [person.id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['session.revoked', 'token.replay_detected']);
  });

  it('takes RFC 7009’s form with its field `token` and a hint', async () => {
    const { refresh_token } = await signIn();
    const answer = await postForm(`${world.baseUrl}/token/revoke`, {
      token: refresh_token,
      token_type_hint: 'refresh_token',
    });
    expect(answer.status).toBe(200);
    expect((await refresh(refresh_token)).status).toBe(401);
  });

  it.each([[{}], [{ refresh_token: null }], [{ refresh_token: ['a'] }], [{ refresh_token: '' }]])(
    'answers 422 and invalid_request to %j',
    async (body) => {
      const answer = await world.call('POST', '/token/revoke', body);
      expect([answer.status, answer.body['error']]).toEqual([422, 'invalid_request']);
    },
  );

  it('leaves nothing alive when it races a refresh, whoever comes first (security 69)', async () => {
    for (let round = 0; round < 15; round++) {
      const { refresh_token } = await signIn();
      const [revoked, refreshed] = await Promise.all([revoke(refresh_token), refresh(refresh_token)]);
      expect(revoked.status).toBe(200);
      if (refreshed.status === 200) expect((await refresh(refreshed.body.refresh_token)).status).toBe(401);
      expect((await refresh(refresh_token)).status).toBe(401);
    }
  });
});
