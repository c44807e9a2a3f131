import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { App } from '../../../src/apps/app/app.entity.js';
import { ClientRegistration } from '../../../src/apps/app/client-registration.entity.js';
import { Statements } from '../../../src/database/statements.js';
import { DeepPages } from '../../../src/database/queries/deep-pages.js';
import type { Query } from '../../../src/database/queries/query.js';
import { PushDevice } from '../../../src/push/devices/push-device.entity.js';
import { PushDevicesRepository } from '../../../src/push/devices/push-devices.repository.js';
import { Tenant } from '../../../src/tenants/tenant.entity.js';
import { User } from '../../../src/users/user.entity.js';
import { FakeClock } from '../../support/fake-clock.js';
import { loggedDataSource } from '../../support/logged-data-source.js';
import { MANY, seedMany } from '../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const USERS = 400;

describe('The number of devices of an app', () => {
  const asked: Query[] = [];
  let database: TestDatabase;
  let client: Client;
  let source: DataSource;
  let devices: PushDevicesRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await seedMany(client, 0, USERS);
    await client.query(`
      DELETE FROM push_devices;
      INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
      SELECT gen_random_uuid(), '${MANY.bigApp}', u.id, (ARRAY['web', 'ios', 'android'])[1 + n % 3],
        sha256((u.id::text || n)::bytea), repeat('sealed', 80)
      FROM (SELECT id FROM users LIMIT ${USERS}) AS u, generate_series(1, 3) AS n`);
    await client.query(`
      INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
      SELECT gen_random_uuid(), '${MANY.smallApp}', id, 'web', sha256('small'), 'sealed' FROM users LIMIT 1`);
    await client.query('VACUUM (ANALYZE) push_devices');
    // Nearly all devices are of one app here, so that other plans are as fast.
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    source = await loggedDataSource(database.url, [PushDevice, App, ClientRegistration, Tenant, User], asked);
    devices = new PushDevicesRepository(
      source.getRepository(PushDevice),
      new Statements(source),
      new DeepPages(new FakeClock()),
    );
  });

  afterAll(async () => {
    await source.destroy();
    await client.end();
    await database.drop();
  });

  const planOf = async ({ text, values }: Query): Promise<string> => {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
    return JSON.stringify(rows);
  };

  it('is read from the index alone, up to a million', async () => {
    asked.length = 0;
    expect(await devices.count(MANY.bigApp)).toBe(3 * USERS);
    const [count] = asked;
    expect(count!.text).toContain('LIMIT 1000000');
    expect(await planOf(count!)).toContain('"Index Only Scan"');
  });

  it('is that of some platforms, or of a list', async () => {
    expect(await devices.countOf(MANY.bigApp, ['android', 'ios'])).toBe(2 * USERS);
    const { devices: page, total, hasMore } = await devices.list(MANY.bigApp, { limit: 10, page: 1 });
    expect([page.length, total, hasMore]).toEqual([10, 3 * USERS, true]);
    expect([await devices.count(MANY.smallApp), await devices.countOf(MANY.smallApp, ['web'])]).toEqual([1, 1]);
  });
});
