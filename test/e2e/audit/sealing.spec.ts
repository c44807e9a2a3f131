import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditSealer } from '../../../src/audit/chain/audit-sealer.js';
import { faultIn, newTenantId, readTrail, untilSealed, writeEntries } from '../../support/audit-trail.js';
import { runCli } from '../../support/cli.js';
import { postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { type ServiceProcess, startProcess, startTwo } from '../../support/service-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

const WORKER_UP = { readyLine: /Worker is running/ };

// security 109
describe('The sealer of audit entries', () => {
  describe('with two web processes and two workers', () => {
    let database: TestDatabase;
    let pair: ServicePair;
    let world: World;
    let tenant: TestTenant;
    let app: TestClient;
    const workers: ServiceProcess[] = [];

    beforeAll(async () => {
      database = await freshDatabase();
      pair = await startPair({ DATABASE_URL: database.url, RATE_LIMITS: 'off' });
      world = await World.open(pair.addresses[0], database.url);
      tenant = await world.tenant();
      app = await world.app(tenant);
    });

    afterAll(async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
      await world.close();
      await pair.stop();
      await database.drop();
    });

    it('makes one chain without a gap of what many write at once, while they write', async () => {
      workers.push(...(await startTwo('dist/worker.js', { DATABASE_URL: database.url }, WORKER_UP)));
      const person = await world.person(app);
      for (let round = 0; round < 10; round++)
        await pair.atOnce(20, (address, index) =>
          postJson(`${address}/auth/login`, {
            email: person.email,
            password: index % 2 ? person.password : 'wrong password',
            app_id: app.id,
          }),
        );
      await untilSealed(world, tenant.id);
      const trail = await readTrail(world, tenant.id);
      expect(trail.filter(({ action }) => /^user\.login/.test(action))).toHaveLength(200);
      expect(faultIn(trail)).toBeNull();
      const verified = await runCli(['audit', 'verify'], { DATABASE_URL: database.url });
      expect([verified.output, verified.code]).toEqual([verified.output, 0]);
    });

    it('numbers in the order in which changes were made, one after the other', async () => {
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

    it('takes up an entry whose transaction took long, and writers do not wait for it', async () => {
      const slow = newTenantId();
      await writeEntries(world, slow, 1);
      const { Client } = await import('pg');
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

    it('leaves a whole chain behind when its process is killed, and another goes on', async () => {
      const many = newTenantId();
      await Promise.all(workers.splice(0).map((worker) => worker.kill()));
      await writeEntries(world, many, 6_000);
      const sealed = async () =>
        (
          await world.sql<{ n: number }>(
            'SELECT count(*)::int AS n FROM audit_entries WHERE tenant_id = $1 AND seq IS NOT NULL',
            [many],
          )
        )[0]!.n;
      const doomed = await startProcess('dist/worker.js', { DATABASE_URL: database.url }, WORKER_UP);
      await eventually('it is in the midst of sealing', async () => (await sealed()) > 0, { every: 2 });
      await doomed.kill('SIGKILL');
      const left = await sealed();
      workers.push(await startProcess('dist/worker.js', { DATABASE_URL: database.url }, WORKER_UP));
      await untilSealed(world, many);
      expect(left).toBeGreaterThan(0);
      expect(await sealed()).toBe(6_000);
      const verified = await runCli(['audit', 'verify', '--tenant', many], { DATABASE_URL: database.url });
      expect([verified.output, verified.code]).toEqual([verified.output, 0]);
      expect(verified.said).toContain('6000 entries in order');
    });
  });

  describe('in a service that is one process', () => {
    let database: TestDatabase;
    let service: TestApp;
    let world: World;

    beforeAll(async () => {
      database = await freshDatabase();
      service = await startTestApp({ settings: { databaseUrl: database.url } });
      world = await World.open(service.baseUrl, database.url);
    });

    afterAll(async () => {
      await world.close();
      await service.close();
      await database.drop();
    });

    it('seals within seconds, as the API shows', async () => {
      const tenant = await world.tenant();
      const [entry] = await eventually(
        'the entry shows its seal',
        async () => {
          const trail = await readTrail(world, tenant.id);
          return trail.every(({ seq }) => seq !== null) && trail;
        },
        { within: 10_000 },
      );
      expect(entry).toMatchObject({
        seq: 1,
        action: 'tenant.created',
        prev_hash: '0'.repeat(64),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    it('links entries that belong to no tenant as well', async () => {
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type) VALUES (gen_random_uuid(), 'user.created', 'system')`,
      );
      await service.nest.get<AuditSealer>(AuditSealer, { strict: false }).run();
      const rows = await world.sql<{ seq: string }>(
        'SELECT seq FROM audit_entries WHERE tenant_id IS NULL ORDER BY seq',
      );
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_, index) => index + 1));
    });

    it('seals nothing twice when several run at once', async () => {
      const chains = Array.from({ length: 5 }, newTenantId);
      const sealer = service.nest.get<AuditSealer>(AuditSealer, { strict: false });
      await Promise.all(chains.map((chain) => writeEntries(world, chain, 700)));
      await Promise.all([sealer.run(), sealer.run(), sealer.run()]);
      for (const chain of chains) {
        await untilSealed(world, chain);
        const trail = await readTrail(world, chain);
        expect([trail.length, faultIn(trail)]).toEqual([700, null]);
      }
    });

    it('keeps the hash over odd texts and numbers, which the database hands back its own way', async () => {
      const chain = newTenantId();
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, tenant_id, user_agent, metadata, acting_as) VALUES
         (gen_random_uuid(), 'tenant.updated', 'system', $1, $2, $3, '{"b": 1, "a": {"toString": 1, "10": 2, "9": 3}}')`,
        [
          chain,
          'tab\t "quotes" \\ \u2028 \u{1f600} e\u0301',
          '{"n": [1.0, 1e3, 0.1, -0, 12345678901234567890, 1e400], "\u{1f600}": "\u007f", "": null}',
        ],
      );
      await untilSealed(world, chain);
      expect(faultIn(await readTrail(world, chain))).toBeNull();
    });
  });
});
