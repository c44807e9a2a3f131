import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, sendForm, visitAccount } from '../../support/account-visitor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

describe('Download of one’s data', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    const rateLimits = { enabled: true, overrides: { account_export: { points: 2, seconds: 3600 } } };
    service = await startTestApp({ settings: { rateLimits, redisUrl: null } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const exportsOf = async (userId: string) =>
    (await world.sql("SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'user.exported'", [userId])).length;

  it('is a JSON file of profile, apps, sessions and events, without secrets, and is recorded', async () => {
    const user = await world.user(app, { roles: ['manager'] });
    const tokens = await world.tokens(user, app.id);
    const browser = await visitAccount(world, user);
    const answer = await sendForm(browser, '/account/export');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="account.json"');
    const data = JSON.parse(answer.body) as Record<string, unknown>;
    expect(data).toMatchObject({
      version: 1,
      profile: { id: user.id, email: user.email },
      sign_in: { has_password: true, second_factor_since: null },
      apps: [{ app_id: app.id, roles: ['user', 'manager'], status: 'active' }],
      linked_accounts: [],
      push_devices: [],
    });
    expect(data['audit_entries']).toContainEqual(expect.objectContaining({ action: 'user.exported', by: 'you' }));
    const [stored] = await world.sql('SELECT password_hash FROM users WHERE id = $1', [user.id]);
    const secrets = [stored!['password_hash'] as string, browser.cookie('sso')!, tokens.refresh_token!];
    for (const secret of [...secrets, 'password_hash', 'tokenHash']) expect(answer.body).not.toContain(secret);
    expect(await exportsOf(user.id)).toBe(1);
  });

  it('has nothing of other users and of administrators', async () => {
    const [user, other] = [await world.user(app), await world.user(app)];
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, actor_id, actor_email, user_id, app_id, ip_address, metadata)
       VALUES (gen_random_uuid(), 'user.suspended', 'user', $2, 'boss@example.com', $1, $3, '198.51.100.7', '{"why": "x-note"}')`,
      [user.id, other.id, app.id],
    );
    const { body } = await sendForm(await visitAccount(world, user), '/account/export');
    expect(body).toContain('user.suspended');
    for (const secret of ['boss@example.com', '198.51.100.7', 'x-note', other.id, other.email, world.admin.email])
      expect(body).not.toContain(secret);
  });

  it('asks for a new sign-in if the last one is older than five minutes', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    await ageSignIns(world, user.id, 301);
    const answer = await sendForm(browser, '/account/export');
    expect([answer.status, answer.location]).toEqual([303, '/account/sign-in?fresh=1']);
    expect(await exportsOf(user.id)).toBe(0);
  });

  it('is limited', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const statuses = [];
    for (let tries = 0; tries < 3; tries++) statuses.push((await sendForm(browser, '/account/export')).status);
    expect([statuses, await exportsOf(user.id)]).toEqual([[200, 200, 429], 2]);
  });
});
