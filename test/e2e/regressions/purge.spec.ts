import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PushedRequestsPurge } from '../../../src/auth/hosted-sign-in/authorization-request/pushed-requests-purge.js';
import { ExpiredSignInsPurge } from '../../../src/auth/expired-sign-ins-purge.js';
import { ExpiredGrantsPurge } from '../../../src/tokens/grants/expired-grants-purge.js';
import { postForm } from '../../support/post.js';
import { holdPeriodic } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

describe('Purge of expired rows', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let letRun: () => Promise<void>;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    // By its own timer the service would purge before the test has looked, or at the same time.
    letRun = await holdPeriodic(database.url, 'auth.purge', 'pushed-requests.purge', 'tokens.purge');
  });

  afterAll(async () => {
    await letRun();
    await world.close();
    await service.close();
    await database.drop();
  });

  it('removes more than one batch, and nothing that expired less than a day ago', async () => {
    const [{ family } = { family: '' }] = await world.sql<{ family: string }>('SELECT gen_random_uuid() AS family');
    await world.sql(
      `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
       SELECT sha256(($1 || n)::bytea), $1::uuid, now() - CASE WHEN n <= 3 THEN interval '23 hours' ELSE interval '25 hours' END
       FROM generate_series(1, 5100) AS n`,
      [family],
    );
    await service.nest.get(ExpiredGrantsPurge, { strict: false }).run();
    expect(await world.sql('SELECT count(*)::int AS left FROM refresh_tokens WHERE family_id = $1', [family])).toEqual([
      { left: 3 },
    ]);
  });

  it('removes expired pushed requests and sign-in attempts after ten minutes, because anyone can create many', async () => {
    const app = await world.app(await world.tenant());
    const begin = async () => {
      await world.call('GET', `/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}`);
      const request = { client_id: app.id, response_type: 'code', redirect_uri: app.redirectUri };
      expect((await postForm(`${world.baseUrl}/auth/par`, request)).status).toBe(201);
    };
    const tables = ['sign_in_attempts', 'pushed_requests'];
    const rows = async () =>
      Promise.all(
        tables.map(async (table) => {
          const [row] = await world.sql<{ n: number }>(
            `SELECT count(*)::int AS n FROM ${table} WHERE app_id = $1 AND expires_at < now()`,
            [app.id],
          );
          return row!.n;
        }),
      );
    const purges = [ExpiredSignInsPurge, PushedRequestsPurge].map((job) => service.nest.get(job, { strict: false }));
    for (const minutes of [11, 9]) {
      await begin();
      for (const table of tables)
        await world.sql(
          `UPDATE ${table} SET expires_at = now() - make_interval(mins => $2) WHERE app_id = $1 AND expires_at > now()`,
          [app.id, minutes],
        );
    }
    expect(await rows()).toEqual([2, 2]);
    for (const job of purges) await job.run();
    expect(await rows()).toEqual([1, 1]);
    expect(purges.map(({ everySeconds }) => everySeconds)).toEqual([600, 600]);
  });

  it('removes attempts and sessions that ended more than a day ago', async () => {
    const app = await world.app(await world.tenant());
    await world.call('GET', `/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}`);
    await world.sql(`UPDATE sign_in_attempts SET expires_at = now() - interval '25 hours' WHERE app_id = $1`, [app.id]);
    await world.sql(`UPDATE sso_sessions SET expires_at = now() - interval '25 hours' WHERE user_id = $1`, [
      world.admin.id,
    ]);
    await service.nest.get(ExpiredSignInsPurge, { strict: false }).run();
    expect(await world.sql('SELECT id FROM sign_in_attempts WHERE app_id = $1', [app.id])).toEqual([]);
    expect(await world.sql('SELECT id FROM sso_sessions WHERE user_id = $1', [world.admin.id])).toEqual([]);
  });
});
