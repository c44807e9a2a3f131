import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statementsOf } from '../../support/counted-work.js';
import { judged } from '../../support/judged.js';
import { basic, postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const GRACE_SECONDS = 30;

describe('config.refresh_grace_seconds', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let phone: Tokens;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { refresh_grace_seconds: GRACE_SECONDS } });
  });

  afterAll(() => world.close());

  const refresh = (refresh_token: string) =>
    world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id });
  const signIn = async (): Promise<Tokens> => {
    user = await world.user(app);
    phone = await world.tokens(user, app.id);
    return world.tokens(user, app.id);
  };
  const written = async () =>
    (
      await world.sql<{ action: string; family: string; metadata: object }>(
        `SELECT action, target_id AS family, metadata FROM audit_entries
         WHERE user_id = $1 AND action LIKE 'token.%' ORDER BY ordinal`,
        [user.id],
      )
    ).map(({ action, metadata }) => ({ action, metadata }));
  /** As if the token had been spent that long ago. */
  const age = (seconds: number) =>
    world.sql(
      `UPDATE refresh_tokens SET rotated_at = rotated_at - make_interval(secs => $2)
       WHERE family_id IN (SELECT id FROM refresh_families WHERE user_id = $1)`,
      [user.id, seconds],
    );

  it('lets a spent token return another one of the same sign-in at both endpoints, with an audit entry', async () => {
    const { refresh_token } = await signIn();
    const first = await refresh(refresh_token);
    const second = await refresh(refresh_token);
    const third = await postForm<Tokens>(
      `${world.baseUrl}/auth/token`,
      { grant_type: 'refresh_token', refresh_token },
      basic(app.id, app.secret),
    );
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    const reused = { action: 'token.reused', metadata: { kind: 'refresh_token', grace_seconds: GRACE_SECONDS } };
    expect(await written()).toEqual([reused, reused]);
    for (const { body } of [first, second, third]) expect((await refresh(body.refresh_token)).status).toBe(200);
    expect((await refresh(phone.refresh_token)).status).toBe(200);
  });

  it('ends after its seconds, which a second use does not extend; then a reuse counts as a replay', async () => {
    const { refresh_token } = await signIn();
    const child = await refresh(refresh_token);
    await age(GRACE_SECONDS - 10);
    expect((await refresh(refresh_token)).status).toBe(200);
    await age(11);
    expect((await refresh(refresh_token)).status).toBe(401);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
    expect((await refresh(phone.refresh_token)).status).toBe(401);
    expect((await written()).map(({ action }) => action)).toEqual(['token.reused', 'token.replay_detected']);
  });

  it('does not revive a revoked sign-in or one of a suspended user', async () => {
    const { refresh_token } = await signIn();
    const child = await refresh(refresh_token);
    await world.call('POST', '/token/revoke', { refresh_token: child.body.refresh_token });
    expect((await refresh(refresh_token)).status).toBe(401);
    const again = await signIn();
    await refresh(again.refresh_token);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect((await refresh(again.refresh_token)).status).toBe(403);
  });

  it('ends all branches with one revocation', async () => {
    const { refresh_token } = await signIn();
    const branches = [await refresh(refresh_token), await refresh(refresh_token)];
    await world.call('POST', '/token/revoke', { refresh_token: branches[0]!.body.refresh_token });
    expect((await refresh(branches[1]!.body.refresh_token)).status).toBe(401);
  });

  it('gives a spent token 20 others, however they are asked for; further uses are refused and end nothing', async () => {
    const { refresh_token } = await signIn();
    const child = await refresh(refresh_token);
    const answers = judged(await Promise.all(Array.from({ length: 25 }, () => refresh(refresh_token))));
    const given = Math.min(20, answers.length);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(given).fill(200), ...Array<number>(answers.length - given).fill(401)]);
    for (let left = 20 - given; left > 0; left--) expect((await refresh(refresh_token)).status).toBe(200);
    expect((await refresh(refresh_token)).status).toBe(401);
    const [stored] = await world.sql<{ tokens: number }>(
      `SELECT count(*)::int AS tokens FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id
       WHERE f.user_id = $1 AND r.rotated_at IS NULL AND f.id = (SELECT family_id FROM refresh_tokens
         WHERE token_hash = sha256($2::bytea))`,
      [user.id, child.body.refresh_token],
    );
    expect(stored).toEqual({ tokens: 21 });
    expect((await refresh(child.body.refresh_token)).status).toBe(200);
    expect((await refresh(phone.refresh_token)).status).toBe(200);
    expect((await written()).map(({ action }) => action)).toEqual(Array(20).fill('token.reused'));
  });

  it('records at most 20 parallel refreshes of a user at the app in 15 minutes, and refuses none because of it', async () => {
    let { refresh_token } = await signIn();
    for (let time = 0; time < 25; time++) {
      const next = await refresh(refresh_token);
      expect((await refresh(refresh_token)).status).toBe(200);
      ({ refresh_token } = next.body);
    }
    expect((await written()).map(({ action }) => action)).toEqual(Array(20).fill('token.reused'));
  });

  it('costs an unknown token no transaction', async () => {
    const before = await signIn();
    const statements = await statementsOf(async () => {
      expect((await refresh('x'.repeat(43))).status).toBe(401);
    });
    expect(statements.filter((text) => /^(BEGIN|START TRANSACTION)/.test(text))).toEqual([]);
    expect(statements.some((text) => text.includes('refresh_tokens'))).toBe(true);
    expect((await refresh(before.refresh_token)).status).toBe(200);
  });

  it('does not apply to other apps of the tenant', async () => {
    const strict = await world.app(tenant);
    const member = await world.user(strict);
    const { refresh_token } = await world.tokens(member, strict.id);
    const fields = { refresh_token, app_id: strict.id };
    expect((await world.call('POST', '/token/refresh', fields)).status).toBe(200);
    expect((await world.call('POST', '/token/refresh', fields)).status).toBe(401);
  });
});
