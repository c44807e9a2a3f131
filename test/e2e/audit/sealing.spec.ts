import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { faultIn, newTenantId, readTrail, untilSealed, writeEntries } from '../../support/audit-trail.js';
import { runCommand } from '../../support/command-line.js';
import { postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { Workers } from '../../support/workers.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

jest.setTimeout(180_000); // several processes on busy cores

// security 109
describe('Audit sealer with two web processes and two workers', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  const workers = new Workers(() => ({ DATABASE_URL: database.url }));

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url, RATE_LIMITS: 'off' });
    world = await World.open(pair.addresses[0], database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await workers.kill();
    await world.close();
    await pair.stop();
    await database.drop();
  });

  it('builds one chain without gaps while many requests write entries at the same time', async () => {
    await workers.exactly(2);
    const user = await world.user(app);
    const statuses: number[] = [];
    for (let round = 0; round < 10; round++) {
      const answers = await pair.atOnce(20, (address, index) =>
        postJson(`${address}/auth/login`, {
          email: user.email,
          password: index % 2 ? user.password : 'wrong password',
          app_id: app.id,
        }),
      );
      statuses.push(...answers.map(({ status }) => status));
    }
    // On a busy machine the queue of hashes may be full: such a sign-in has not been judged.
    const judged = statuses.filter((status) => status !== 503);
    expect(judged.filter((status) => status !== 200 && status !== 401)).toEqual([]);
    expect(judged.length).toBeGreaterThan(100);
    await untilSealed(world, tenant.id);
    const trail = await readTrail(world, tenant.id);
    expect(trail.filter(({ action }) => /^user\.login/.test(action))).toHaveLength(judged.length);
    expect(faultIn(trail)).toBeNull();
    const verified = await runCommand(['audit', 'verify'], { env: { DATABASE_URL: database.url } });
    expect([verified.output, verified.code]).toEqual([verified.output, 0]);
  });

  it('numbers entries in the order in which the changes were made', async () => {
    const own = await world.tenant();
    const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
    for (const name of names) await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { name });
    await untilSealed(world, own.id);
    const rows = await world.sql<{ seq: string; ordinal: string }>(
      'SELECT seq, ordinal FROM audit_entries WHERE tenant_id = $1 ORDER BY created_at, ordinal',
      [own.id],
    );
    expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_, index) => index + 1));
  });

  it('seals the entry of a long transaction later, and other entries do not wait for it', async () => {
    const slow = newTenantId();
    await writeEntries(world, slow, 1);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO audit_entries (id, action, actor_type, tenant_id) VALUES (gen_random_uuid(), 'tenant.created', 'system', $1)`,
        [slow],
      );
      await writeEntries(world, slow, 2);
      await untilSealed(world, slow);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    await untilSealed(world, slow);
    const trail = await readTrail(world, slow);
    expect(trail.map(({ seq }) => seq).sort()).toEqual([1, 2, 3, 4]);
    expect(trail.find(({ action }) => action === 'tenant.created')!.seq).toBe(4);
    expect(faultIn(trail)).toBeNull();
  });

  it('leaves an intact chain when its process is killed, and another worker seals the rest', async () => {
    const many = newTenantId();
    const [doomed] = await workers.exactly(1);
    await writeEntries(world, many, 6_000);
    const sealed = async () =>
      (
        await world.sql<{ n: number }>(
          'SELECT count(*)::int AS n FROM audit_entries WHERE tenant_id = $1 AND seq IS NOT NULL',
          [many],
        )
      )[0]!.n;
    await eventually('it is in the midst of sealing', async () => (await sealed()) > 0, { every: 2 });
    await doomed!.kill('SIGKILL');
    const left = await sealed();
    await workers.exactly(1);
    await untilSealed(world, many);
    expect(left).toBeGreaterThan(0);
    expect(await sealed()).toBe(6_000);
    const verified = await runCommand(['audit', 'verify', '--tenant', many], { env: { DATABASE_URL: database.url } });
    expect([verified.output, verified.code]).toEqual([verified.output, 0]);
    expect(verified.stdout).toContain('6000 entries in order');
  });
});
