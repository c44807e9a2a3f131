import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectOne, judged } from '../../support/judged.js';
import { postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestTenant, unique, World } from '../../support/world.js';

const ROUNDS = 5;
const AT_ONCE = 16;

// Faults to survive, F12; security 30 (two parallel creations make one row), 107.
describe('Two processes creating the same name at once', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url });
    world = await World.open(pair.addresses[0], database.url);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  const create = async (path: string, body: (index: number) => object) => {
    const bearer = { Authorization: `Bearer ${world.admin.token}` };
    const answers = await pair.atOnce(AT_ONCE, (address, index) => postJson(`${address}${path}`, body(index), bearer));
    expectOne(answers, { won: 201, refused: 409 });
    const refused = judged(answers).filter(({ status }) => status === 409);
    return new Set(refused.map(({ body: { detail } }) => detail));
  };

  it('create one user per email address in any spelling (security 30)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = unique();
      const spellings = [`a${name}@example.com`, `A${name}@EXAMPLE.com`, ` a${name}@Example.com `];
      const refusals = await create('/admin/users', (index) => ({
        email: spellings[index % spellings.length],
        display_name: `Racer ${index}`,
      }));
      expect(refusals).toEqual(new Set(['User already exists']));
      const rows = await world.sql(`SELECT id FROM users WHERE email_canonical = $1`, [`a${name}@example.com`]);
      expect(rows).toHaveLength(1);
    }
  });

  it('create one tenant per slug, with one Console app', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `race-${unique()}`;
      const refusals = await create('/admin/tenants', (index) => ({ name: `Racer ${index}`, slug }));
      expect(refusals).toEqual(new Set(['Slug already exists']));
      const rows = await world.sql(
        `SELECT count(a.id)::int AS consoles FROM tenants t JOIN apps a ON a.tenant_id = t.id AND a.is_console_app
         WHERE t.slug = $1 GROUP BY t.id`,
        [slug],
      );
      expect(rows).toEqual([{ consoles: 1 }]);
    }
  });

  it('create one app per bundle_id', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const bundle_id = `com.race.${unique()}`;
      const body = { name: 'Racer', tenant_id: tenant.id, bundle_id };
      const refusals = await create('/admin/apps', () => body);
      expect(refusals).toEqual(new Set(['Bundle ID already exists']));
      expect(await world.sql('SELECT id FROM apps WHERE bundle_id = $1', [bundle_id])).toHaveLength(1);
    }
  });

  it('write one audit entry for each created object and none for rejected requests (security 107)', async () => {
    const made = await world.sql(
      `SELECT 'user.created' AS action, id::text FROM users WHERE id <> $1
       UNION ALL SELECT 'tenant.created', id::text FROM tenants WHERE NOT is_platform
       UNION ALL SELECT 'app.created', id::text FROM apps WHERE NOT is_console_app ORDER BY 1, 2`,
      [world.admin.id],
    );
    const written = await world.sql(
      `SELECT action, target_id AS id FROM audit_entries
       WHERE action IN ('user.created', 'tenant.created', 'app.created') ORDER BY 1, 2`,
    );
    expect(made.length).toBeGreaterThanOrEqual(3 * ROUNDS);
    expect(written).toEqual(made);
  });
});
