import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { activeMs } from '../../support/active-time.js';
import { peakMemory, residentMemory } from '../../support/resident-memory.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import type { ImportedTenant, TenantDocument } from '../../support/transfer-fixture.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, World } from '../../support/world.js';

jest.setTimeout(180_000);

const IMPORTED = 10_000;
const EXPORTED = 100_000;
/** Generous, because two cores are shared by many; what goes wrong here goes wrong by far more. */
const IMPORT_SECONDS = 45;
const IMPORT_MEGABYTES = 300;
const EXPORT_MEGABYTES = 120;
const MAX_PAUSE_MS = 2_500;
const ASK_EVERY_MS = 20;

describe('Large document', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let world: World;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startProcess('dist/main.js', { DATABASE_URL: database.url });
    world = await World.open(service.baseUrl, database.url);
    // What a process takes at its first requests is not the document's.
    await world.asAdmin('GET', '/admin/users?limit=200');
    await world.asAdmin('POST', '/admin/tenants/import', { tenant: { name: 'Warm', slug: 'warm' } });
  });

  afterAll(async () => {
    await world.close();
    await service.kill();
    await database.drop();
  });

  /** How long another user had to wait for the simplest answer while the work went on. */
  async function longestPause<T>(work: () => Promise<T>): Promise<{ result: T; pause: number }> {
    let isDone = false;
    let pause = 0;
    const asking = (async () => {
      while (!isDone) {
        const took = await activeMs(async () => (await fetch(`${service.baseUrl}/health/live`)).text());
        pause = Math.max(pause, took);
        await sleep(ASK_EVERY_MS); // to ask is work for the service, too
      }
    })();
    try {
      return { result: await work(), pause };
    } finally {
      isDone = true;
      await asking;
    }
  }

  it(`with ${IMPORTED} users is imported within limits of time and memory, and other requests are answered meanwhile`, async () => {
    const users = Array.from({ length: IMPORTED }, (_, n) => ({
      email: `person-${n}@example.com`,
      display_name: `Person number ${n}`,
      email_verified: true,
      password_hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
      roles: ['user', 'manager'],
      status: 'active',
    }));
    const body = { tenant: { name: 'Large', slug: 'large' }, apps: [{ name: 'Shop', bundle_id: 'com.large', users }] };
    const before = residentMemory(service.pid);
    const importing = peakMemory(service.pid, () =>
      longestPause(() => world.asAdmin<ImportedTenant>('POST', '/admin/tenants/import', body)),
    );
    const seconds = (await activeMs(() => importing)) / 1_000;
    const { result, peak } = await importing;
    console.log(
      `import of ${IMPORTED}: ${seconds.toFixed(1)} s, +${(peak - before).toFixed(0)} MB, longest pause ${result.pause.toFixed(0)} ms`,
    );
    expect(result.result.users).toEqual({ created: IMPORTED, enrolled: 0, unchanged: [] });
    expect(
      await world.sql('SELECT count(*)::int AS n FROM enrollments WHERE app_id = $1', [result.result.apps[0]!.id]),
    ).toEqual([{ n: IMPORTED }]);
    expect(seconds).toBeLessThan(IMPORT_SECONDS);
    expect(peak - before).toBeLessThan(IMPORT_MEGABYTES);
    expect(result.pause).toBeLessThan(MAX_PAUSE_MS);
  });

  describe(`with ${EXPORTED} users`, () => {
    let tenantId: string;

    beforeAll(async () => {
      const tenant = await world.tenant({ slug: 'huge' });
      const app = await world.app(tenant);
      tenantId = tenant.id;
      await seed(app);
    });

    /**
     * Straight into the tables: no export reads the indexes that the search has of names and addresses, and they, the triggers
     * and ids in no order would take five times as long as all the rest.
     */
    async function seed({ id, tenantId: tenant }: TestClient): Promise<void> {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      await client.query('DROP INDEX ix_users_email_trigrams, ix_users_name_trigrams');
      await client.query('SET session_replication_role = replica');
      await client.query(
        `WITH made AS (
           INSERT INTO users (id, email, email_canonical, display_name)
           SELECT lpad(to_hex(n), 32, '0')::uuid, 'h' || n || '@example.com', 'h' || n || '@example.com', repeat('x', 200)
           FROM generate_series(1, ${EXPORTED}) n RETURNING id, created_at)
         INSERT INTO enrollments (user_id, app_id, roles, status, tenant_id, user_created_at)
         SELECT id, $1, '{user}', 'active', $2, created_at FROM made`,
        [id, tenant],
      );
      await client.query('ANALYZE users, enrollments');
      await client.end();
    }

    const open = () =>
      fetch(`${service.baseUrl}/admin/tenants/${tenantId}/export?include_users=true`, {
        headers: { Authorization: `Bearer ${world.admin.token}` },
      });

    it('is exported completely, in order, and never completely in memory', async () => {
      const before = residentMemory(service.pid);
      const begun = performance.now();
      const { result: text, peak } = await peakMemory(service.pid, async () => (await open()).text());
      console.log(
        `export of ${EXPORTED}: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${(text.length / 1e6).toFixed(0)} MB of text, +${(peak - before).toFixed(0)} MB`,
      );
      const emails = (JSON.parse(text) as TenantDocument).apps[0]!.users!.map((user) => user.email);
      expect(emails.length).toBe(EXPORTED);
      expect([...emails].sort()).toEqual(emails);
      expect(new Set(emails).size).toBe(EXPORTED);
      expect(peak - before).toBeLessThan(EXPORT_MEGABYTES);
    });

    it('that fails half-way does not look like a complete one', async () => {
      const answer = await open();
      expect(answer.status).toBe(200);
      const reader = answer.body!.getReader();
      const first = await reader.read();
      // Nobody reads on: the service waits for its client with most of the users still in the database.
      await world.sql('ALTER TABLE enrollments RENAME TO hidden');
      const chunks = [Buffer.from(first.value!)];
      const rest = (async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return 'ended as if all were well';
          chunks.push(Buffer.from(value));
        }
      })();
      await expect(rest).rejects.toThrow(/terminated|aborted|closed|reset/i);
      await world.sql('ALTER TABLE hidden RENAME TO enrollments');
      const text = Buffer.concat(chunks).toString();
      expect(text.startsWith('{"format":"identity-broker/tenant"')).toBe(true);
      expect(() => JSON.parse(text) as unknown).toThrow();
      await eventually('it is ready', async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200);
    });

    it('that fails at once returns an ordinary error', async () => {
      await world.sql('ALTER TABLE enrollments RENAME TO hidden');
      try {
        const answer = await open();
        expect([answer.status, await answer.json()]).toEqual([
          500,
          { detail: 'Internal Server Error', request_id: expect.any(String) },
        ]);
        expect(answer.headers.get('content-disposition')).toBeNull();
      } finally {
        await world.sql('ALTER TABLE hidden RENAME TO enrollments');
      }
    });

    it('that the client stops reading leaves nothing behind', async () => {
      for (let n = 0; n < 12; n++) {
        const controller = new AbortController();
        const answer = await fetch(`${service.baseUrl}/admin/tenants/${tenantId}/export?include_users=true`, {
          headers: { Authorization: `Bearer ${world.admin.token}` },
          signal: controller.signal,
        });
        await answer.body!.getReader().read();
        controller.abort();
      }
      // More readers than the pool has connections: each of them would have kept one.
      expect((await world.call('GET', '/admin/users', undefined, { token: world.admin.token })).status).toBe(200);
      expect(service.logs().filter((line) => line.includes('PREMATURE_CLOSE'))).toEqual([]);
    });
  });
});
