import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditSealer } from '../../../src/audit/chain/audit-sealer.js';
import { faultIn, newTenantId, readTrail, untilSealed, writeEntries } from '../../support/audit-trail.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

// security 109
describe('Audit sealer in a single process', () => {
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

  it('seals new entries within seconds and shows the seal in the API', async () => {
    const tenant = await world.tenant();
    const [entry] = await eventually('the entry shows its seal', async () => {
      const trail = await readTrail(world, tenant.id);
      return trail.every(({ seq }) => seq !== null) && trail;
    });
    expect(entry).toMatchObject({
      seq: 1,
      action: 'tenant.created',
      prev_hash: '0'.repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('links entries without a tenant into a chain', async () => {
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type) VALUES (gen_random_uuid(), 'user.created', 'system')`,
    );
    await sealAll(service);
    const rows = await world.sql<{ seq: string }>('SELECT seq FROM audit_entries WHERE tenant_id IS NULL ORDER BY seq');
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_, index) => index + 1));
  });

  it('seals each entry once when several runs happen at the same time', async () => {
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

  it('computes valid hashes for unusual texts and numbers that PostgreSQL returns in another form', async () => {
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
