import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Audit entries', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const count = async () => (await world.sql<{ n: number }>('SELECT count(*)::int AS n FROM audit_entries'))[0]!.n;

  // security 107
  it('are not written for a change that failed', async () => {
    const user = await world.user(app);
    const [taken] = await world.sql<{ bundle_id: string; slug: string }>(
      'SELECT bundle_id, slug FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.id = $1',
      [app.id],
    );
    const other = await world.tenant();
    const otherApp = await world.app(other);
    const [entries, rows] = [await count(), await databaseFingerprint(world)];
    for (const [method, path, body, status] of [
      ['POST', '/admin/apps', { name: 'x', tenant_id: tenant.id, bundle_id: taken!.bundle_id }, 409],
      ['PUT', `/admin/apps/${otherApp.id}`, { name: 'x', bundle_id: taken!.bundle_id }, 409],
      ['POST', '/admin/tenants', { name: 'x', slug: taken!.slug }, 409],
      ['PATCH', `/admin/tenants/${other.id}`, { name: 'x', slug: taken!.slug, is_active: false }, 409],
      ['POST', '/admin/users', { email: user.email, display_name: 'x', app_id: app.id }, 409],
      [
        'POST',
        '/admin/users',
        { email: `x-${unique()}@example.com`, display_name: 'x', app_id: app.id, roles: ['no'] },
        422,
      ],
      ['PUT', `/admin/users/${user.id}/apps/${app.id}/reactivate`, undefined, 409],
    ] as const)
      expect([path, (await world.call(method, path, body, { token: world.admin.token })).status]).toEqual([
        path,
        status,
      ]);
    expect(await count()).toBe(entries);
    expect(await databaseFingerprint(world)).toEqual(rows);
  });

  // security 107
  it('that cannot be written roll back the change', async () => {
    const user = await world.user(app);
    const suspended = await world.user(app);
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: app.id });
    const { refresh_token } = await world.tokens(user, app.id);
    await world.sql(`
      CREATE FUNCTION refuse_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no ink'; END $$`);
    await world.sql(`
      CREATE TRIGGER tr_refuse BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_entries()`);
    try {
      const before = await databaseFingerprint(world);
      for (const [method, path, body] of [
        ['POST', '/admin/tenants', { name: `x ${unique()}` }],
        ['PATCH', `/admin/tenants/${tenant.id}`, { name: 'x', is_active: false }],
        ['POST', '/admin/apps', { name: 'x', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` }],
        ['PUT', `/admin/apps/${app.id}`, { name: 'x', is_active: false }],
        ['POST', `/admin/apps/${app.id}/regenerate-secret`, undefined],
        ['POST', '/admin/users', { email: `x-${unique()}@example.com`, display_name: 'x', app_id: app.id }],
        ['PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] }],
        ['POST', `/admin/users/${user.id}/suspend`, { app_id: app.id }],
        ['PUT', `/admin/users/${suspended.id}/apps/${app.id}/reactivate`, undefined],
      ] as const) {
        const answer = await world.call(method, path, body, { token: world.admin.token });
        expect([path, answer.status, answer.body['detail']]).toEqual([path, 500, 'Internal Server Error']);
        expect(answer.body['request_id']).toBe(answer.headers.get('x-request-id'));
        expect(JSON.stringify(answer.body)).not.toMatch(/ink|trigger|\bat .*:\d+/);
      }
      expect((await world.login(user, app.id)).status).toBe(500);
      expect(await databaseFingerprint(world)).toEqual(before);
    } finally {
      await world.sql('DROP TRIGGER tr_refuse ON audit_entries');
      await world.sql('DROP FUNCTION refuse_entries()');
    }
    // The caches are unchanged too: the old secret, the app and the sign-in still work.
    expect(await world.serviceToken(app, 'push:send')).toMatch(/^ey/);
    const refreshed = await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id });
    expect(refreshed.status).toBe(200);
  });

  /**
   * Runs a statement on an unsealed entry: statements sent together are one transaction, which the sealer cannot see.
   */
  async function withUnsealed(statement: (id: string) => string): Promise<unknown> {
    const id = randomUUID();
    return world.sql(`
      INSERT INTO audit_entries (id, action, actor_type, tenant_id) VALUES ('${id}', 'tenant.updated', 'system', '${id}');
      ${statement(id)}`);
  }
  const SEAL = `prev_hash = sha256('before'), hash = sha256('it')`;

  // security 109
  it('reject UPDATE, DELETE and TRUNCATE, even from the owner of the table', async () => {
    const entries = await count();
    for (const statement of [
      () => `UPDATE audit_entries SET action = 'nothing'`,
      (id: string) => `UPDATE audit_entries SET metadata = '{}' WHERE id = '${id}'`,
      (id: string) =>
        `UPDATE audit_entries SET seq = 99, ${SEAL}, actor_email = 'another@else.example' WHERE id = '${id}'`,
      (id: string) => `UPDATE audit_entries SET created_at = '2020-01-01', seq = 99, ${SEAL} WHERE id = '${id}'`,
      (id: string) => `UPDATE audit_entries SET ordinal = 1, seq = 99, ${SEAL} WHERE id = '${id}'`,
      (id: string) => `DELETE FROM audit_entries WHERE id = '${id}'`,
      () => 'DELETE FROM audit_entries',
      () => 'TRUNCATE audit_entries',
      () => 'TRUNCATE tenants CASCADE; TRUNCATE audit_entries',
    ])
      await expect(withUnsealed(statement)).rejects.toThrow('audit entries are only ever appended');
    expect(await count()).toBe(entries);
  });

  // security 109
  it('are sealed once, and only with a complete seal', async () => {
    const seal = (id: string, seq: number) => `UPDATE audit_entries SET seq = ${seq}, ${SEAL} WHERE id = '${id}';`;
    await withUnsealed((id) => seal(id, 1_000_001));
    for (const seq of [1_000_001, 1_000_002])
      await expect(withUnsealed((id) => seal(id, 1_000_001) + seal(id, seq))).rejects.toThrow(
        'audit entries are only ever appended',
      );
    for (const part of [
      'seq = 7',
      `seq = 7, hash = sha256('it')`,
      `seq = 0, ${SEAL}`,
      `seq = 7, prev_hash = sha256('before'), hash = 'x'`,
    ])
      await expect(withUnsealed((id) => `UPDATE audit_entries SET ${part} WHERE id = '${id}'`)).rejects.toThrow(
        'ck_audit_entries_seal',
      );
  });

  // security 109
  it('have chains that only grow, and checkpoints that do not change', async () => {
    const chain = randomUUID();
    await world.sql('INSERT INTO audit_chains (id, last_seq) VALUES ($1, 5)', [chain]);
    await world.sql(
      `INSERT INTO audit_checkpoints (chain_id, seq, hash, kid, jws) VALUES ($1, 5, sha256('it'), 'k', 'j')`,
      [chain],
    );
    for (const statement of [
      `UPDATE audit_chains SET last_seq = 4 WHERE id = '${chain}'`,
      `UPDATE audit_chains SET last_hash = sha256('other') WHERE id = '${chain}'`,
      `DELETE FROM audit_chains WHERE id = '${chain}'`,
      'TRUNCATE audit_chains',
    ])
      await expect(world.sql(statement)).rejects.toThrow('audit chains only ever grow');
    for (const statement of [
      `UPDATE audit_checkpoints SET jws = 'x' WHERE chain_id = '${chain}'`,
      `DELETE FROM audit_checkpoints WHERE chain_id = '${chain}'`,
      'TRUNCATE audit_checkpoints',
    ])
      await expect(world.sql(statement)).rejects.toThrow('audit checkpoints are only ever appended');
  });

  // security 108
  it('contain no secret', async () => {
    const password = `secret-${unique()}-password`;
    const user = await world.user(app, { password });
    const tokens = await world.tokens({ ...user, password }, app.id);
    await world.login({ ...user, password: `wrong-${password}` }, app.id);
    const regenerated = await world.asAdmin<{ client_secret: string }>('PUT', `/admin/apps/${app.id}/secret`);
    const service = await world.serviceToken({ ...app, secret: regenerated.client_secret });
    await world.call('POST', '/token/refresh', { refresh_token: tokens.refresh_token, app_id: app.id });
    await world.call('POST', '/token/refresh', { refresh_token: tokens.refresh_token, app_id: app.id }); // replay
    const wrong = { grant_type: 'client_credentials', client_id: app.id, client_secret: `wrong-${app.secret}` };
    await world.call('POST', '/auth/token', wrong);
    const [{ text }] = (await world.sql<{ text: string }>(
      `SELECT string_agg(to_jsonb(a)::text, ' ') AS text FROM audit_entries a`,
    )) as [{ text: string }];
    const hashes = await world.sql<{ hash: string }>(
      'SELECT password_hash AS hash FROM users WHERE password_hash IS NOT NULL',
    );
    const secrets = [password, PASSWORD, app.secret, regenerated.client_secret, service, world.admin.token];
    for (const secret of [...secrets, tokens.access_token, tokens.refresh_token, ...hashes.map(({ hash }) => hash)])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(text).toContain('token.replay_detected');
    expect(text).toContain('user.login_failed');
  });
});
