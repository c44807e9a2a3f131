import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiscoveryService } from '@nestjs/core';
import { PushedRequestsPurge } from '../../../src/auth/hosted-sign-in/authorization-request/pushed-requests-purge.js';
import { ExpiredSignInsPurge } from '../../../src/auth/expired-sign-ins-purge.js';
import { discover } from '../../../src/common/discovered.js';
import { PeriodicJob } from '../../../src/delivery/periodic/periodic-job.js';
import { ExpiredGrantsPurge } from '../../../src/tokens/grants/expired-grants-purge.js';
import { ScheduledChangesPurge } from '../../../src/operators/scheduled-changes/notices/scheduled-changes-purge.js';
import { postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

describe('Purge of expired rows', () => {
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

  it('removes the mails of a scheduled change in batches before the change, which one statement could not', async () => {
    const { id: tenantId } = await world.tenant();
    const settled = async (age: string) => {
      const [change] = await world.sql<{ id: string }>(
        `INSERT INTO scheduled_changes (id, tenant_id, change, effective_at, state, credential, locks_planner_out,
           locks_admins_out, settings_then, settled_at)
         VALUES (gen_random_uuid(), $1, '{}', now(), 'executed', 'console', false, false, '{}', now() - $2::interval)
         RETURNING id`,
        [tenantId, age],
      );
      return change!.id;
    };
    const told = (id: string, users: number) =>
      world.sql(
        `INSERT INTO scheduled_change_notices (change_id, user_id, moment)
         SELECT $1, id, moment FROM (SELECT id FROM users LIMIT $2) u, unnest('{announced,reminded}'::text[]) moment`,
        [id, users],
      );
    await world.sql(
      `INSERT INTO users (id, email, email_canonical, display_name)
       SELECT gen_random_uuid(), n || '@told.example', n || '@told.example', 'Told' FROM generate_series(1, 3000) n`,
    );
    await world.sql(
      `CREATE FUNCTION few_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (SELECT count(*) FROM gone) > 5000 THEN RAISE 'too many rows for one statement'; END IF; RETURN NULL; END $$`,
    );
    await world.sql(
      `CREATE TRIGGER few_rows AFTER DELETE ON scheduled_change_notices
       REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION few_rows()`,
    );
    const [year, month, weeks] = [await settled('367 days'), await settled('31 days'), await settled('29 days')];
    await told(year, 3_000);
    await told(month, 1);
    await told(weeks, 1);
    await service.nest.get(ScheduledChangesPurge, { strict: false }).run();
    const changes = await world.sql<{ id: string }>('SELECT id FROM scheduled_changes WHERE tenant_id = $1', [
      tenantId,
    ]);
    expect(new Set(changes.map(({ id }) => id))).toEqual(new Set([month, weeks]));
    expect(await world.sql('SELECT DISTINCT change_id FROM scheduled_change_notices')).toEqual([{ change_id: weeks }]);
  });

  it('and counts are the only periodic jobs that share the few slots of long ones', () => {
    const jobs = discover(service.nest.get(DiscoveryService, { strict: false }), PeriodicJob);
    const namesOf = (kind: boolean) => jobs.filter(({ isLong }) => isLong === kind).map((job) => job.constructor.name);
    expect(namesOf(true).filter((name) => !/(Purge|Count)$/.test(name))).toEqual([]);
    expect(namesOf(false).filter((name) => /(Purge|Count)$/.test(name))).toEqual([]);
    expect(namesOf(false)).toEqual(expect.arrayContaining(['AuditSealer', 'DeliverySweep', 'DueChangesJob']));
  });
});
