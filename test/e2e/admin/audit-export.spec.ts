import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditExports } from '../../../src/audit/audit-exports.js';
import { Snapshots } from '../../../src/database/queries/snapshots.js';
import { OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { hangUpBeforeAnswer } from '../../support/hang-up.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

interface Line {
  readonly id: string;
  readonly action: string;
  readonly created_at: string;
  readonly tenant_id: string | null;
  readonly app_id: string | null;
  readonly actor: { readonly id: string | null };
  readonly metadata: Record<string, unknown>;
}

describe('Export of the audit log', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let foreign: TestTenant;
  let tenantAdmin: TestUser;
  let appAdmin: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    foreign = await world.tenant();
    await world.app(foreign);
    tenantAdmin = await world.tenantAdmin(tenant);
    appAdmin = await world.user(app, { roles: ['admin'] });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const download = async (query: Record<string, string>, token = world.admin.token) => {
    const response = await fetch(`${world.baseUrl}/admin/audit/export?${new URLSearchParams(query).toString()}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const linesOf = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const tokenOf = async (user: TestUser, at: string) => (await world.tokens(user, at)).access_token;
  const write = (metadata: object, columns: { userAgent?: string; action?: string; ago?: string } = {}) =>
    world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, actor_id, tenant_id, app_id, user_agent, metadata, created_at)
       VALUES (gen_random_uuid(), $1, 'system', 'test', $2, $3, $4, $5, now() - $6::interval)`,
      [columns.action ?? 'app.updated', tenant.id, app.id, columns.userAgent ?? null, metadata, columns.ago ?? '0'],
    );

  it('returns the entries of the list as JSON lines, newest first, with a file name', async () => {
    const list = await world.call<Line[]>('GET', `/admin/audit?tenant_id=${tenant.id}&limit=500`, undefined, {
      token: world.admin.token,
    });
    const { status, headers, text } = await download({ tenant_id: tenant.id });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.ndjson"$/);
    expect(headers.get('cache-control')).toBe('no-store');
    const unsealed = (line: Line) => ({ ...line, seq: null, hash: null, prev_hash: null });
    expect(linesOf(text).map(unsealed)).toEqual(list.body.map(unsealed));
  });

  it('returns CSV with a heading and one line for each entry', async () => {
    await write({ note: 'a "quoted" text,\nwith a line break' });
    const { headers, text } = await download({ tenant_id: tenant.id, format: 'csv', action: 'app.updated' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/\.csv"$/);
    const [heading, first] = text.split('\r\n');
    expect(heading).toBe(
      'created_at,action,outcome,actor_type,actor_id,actor_email,acting_as,user_id,tenant_id,app_id,target_type,target_id,ip_address,user_agent,request_id,metadata,id,seq,prev_hash,hash',
    );
    expect(first).toContain(`,app.updated,success,system,test,,,,${tenant.id},${app.id},`);
    expect(first).toContain('"{""note"":""a \\""quoted\\"" text,\\nwith a line break""}"');
  });

  it('makes formulas of spreadsheets harmless in CSV', async () => {
    for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=x', '＝1']) {
      await write({}, { userAgent: formula, action: 'app.logo_changed' });
    }
    const { text } = await download({ tenant_id: tenant.id, format: 'csv', action: 'app.logo_changed' });
    for (const cell of [`,'=1+1,`, `,'+1,`, `,'-1,`, `,'@SUM(A1),`, `,"'\tx",`, `,"'\r'=x",`, `,'＝1,`])
      expect(text).toContain(cell);
    expect(text).not.toMatch(/[,"](?:=|\+1|-1|@|\t|＝)/);
  });

  it('makes formulas in CSV harmless for spreadsheets that separate cells by semicolons or tabs', async () => {
    for (const text of ['x;=1+1', 'x; "@SUM(A1)', 'x\t-1', 'x\r\n+1', 'x|=1', ';;＝1', 'x (like y; z)'])
      await write({ note: text }, { userAgent: text, action: 'app.exported' });
    const { text } = await download({ tenant_id: tenant.id, format: 'csv', action: 'app.exported' });
    for (const cell of [
      `"x;'=1+1"`,
      `"x;' ""@SUM(A1)"`,
      `"x\t'-1"`,
      `"x\r\n'+1"`,
      `x|'=1`,
      `";;'＝1"`,
      `"x (like y; z)"`,
    ])
      expect(text).toContain(`,${cell},`);
    expect(text).not.toMatch(/[;\t|\n][ "]*[=+\-@＝]/);
  });

  // security 77
  // security 109
  it('contains only entries that the caller may see', async () => {
    const forTenant = linesOf((await download({}, await tokenOf(tenantAdmin, tenant.consoleAppId))).text);
    const forApp = linesOf((await download({}, await tokenOf(appAdmin, app.id))).text);
    const forAll = linesOf((await download({})).text);
    expect(new Set(forTenant.map((line) => line.tenant_id))).toEqual(new Set([tenant.id]));
    expect(new Set(forApp.map((line) => line.app_id))).toEqual(new Set([app.id]));
    expect(forAll.some((line) => line.tenant_id === foreign.id)).toBe(true);
    expect(forAll.length).toBeGreaterThan(forTenant.length);
    for (const user of [tenantAdmin, appAdmin]) {
      const token = await tokenOf(user, user === appAdmin ? app.id : tenant.consoleAppId);
      expect((await download({ tenant_id: foreign.id }, token)).status).toBe(403);
    }
    const member = await world.user(app);
    expect((await download({}, await tokenOf(member, app.id))).status).toBe(403);
  });

  it('contains in the Console the entries of the page, for the chosen tenant', async () => {
    for (const [user, mine] of [
      [tenantAdmin, (line: Line) => line.tenant_id === tenant.id],
      [appAdmin, (line: Line) => line.app_id === app.id],
    ] as const) {
      const browser = await visitConsole(world, user);
      const { status, body } = await browser.get('/console/audit/export?format=ndjson', OWN_LINK);
      expect(status).toBe(200);
      const lines = linesOf(body);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => !mine(line))).toEqual([]);
      expect((await browser.get(`/console/audit/export?tenant_id=${foreign.id}`, OWN_LINK)).status).toBe(403);
    }
    const root = await visitConsole(world, world.admin);
    root.setCookie('tenant', tenant.id);
    const { body } = await root.get('/console/audit/export?format=ndjson&action=app.created', OWN_LINK);
    expect(new Set(linesOf(body).map((line) => line.tenant_id))).toEqual(new Set([tenant.id]));
  });

  it.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' }],
    ['an image of a page', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' }],
    ['a browser that fetches ahead', { ...OWN_LINK, 'Sec-Purpose': 'prefetch' }],
  ])('leads to the page instead, and exports nothing, for %s', async (_, headers) => {
    const browser = await visitConsole(world, tenantAdmin);
    const exported = async () =>
      (
        await world.sql<{ count: number }>(
          `SELECT count(*)::int AS count FROM audit_entries WHERE action = 'audit.exported' AND actor_id = $1`,
          [tenantAdmin.id],
        )
      )[0]!.count;
    const before = await exported();
    const { status, location } = await browser.get('/console/audit/export?format=csv&range=7d', headers);
    expect([status, location]).toEqual([302, '/console/audit?format=csv&range=7d']);
    expect(await exported()).toBe(before);
  });

  it('leads back to the page for a filter that cannot be read', async () => {
    const browser = await visitConsole(world, tenantAdmin);
    const { status, location } = await browser.get('/console/audit/export?app_id=x&format=csv', OWN_LINK);
    expect([status, location]).toEqual([302, '/console/audit?app_id=x&format=csv']);
  });

  it('is recorded with its filters and the number of entries', async () => {
    await download({ tenant_id: tenant.id, action: 'tenant.created', format: 'csv' });
    const [line] = linesOf((await download({ tenant_id: tenant.id, action: 'audit.exported' })).text);
    expect(line).toMatchObject({
      action: 'audit.exported',
      actor: { id: world.admin.id },
      tenant_id: tenant.id,
      metadata: { format: 'csv', entries: 1, filters: { tenant_id: tenant.id, action: 'tenant.created' } },
    });
  });

  it('accepts the filters of the list and refuses the same values', async () => {
    const { id } = await world.user(app);
    const about = linesOf((await download({ person_id: id })).text);
    expect(about.map((line) => line.action)).toContain('user.created');
    const done = linesOf((await download({ person_id: world.admin.id, action: 'tenant.created' })).text);
    expect(done.some((line) => line.tenant_id === tenant.id)).toBe(true);
    expect(linesOf((await download({ actor_type: 'service' })).text)).toEqual([]);
    expect(linesOf((await download({ before: '2001-01-01' })).text)).toEqual([]);
    for (const query of [{ app_id: 'x' }, { after: 'yesterday' }, { format: 'xml' }, { actor_type: 'robot' }])
      expect([query, (await download(query as unknown as Record<string, string>)).status]).toEqual([query, 422]);
  });

  it('reads the log as it was at its beginning, in pieces, and holds no connection while the client waits', async () => {
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, tenant_id, metadata, created_at)
       SELECT gen_random_uuid(), 'push.sent', 'system', $1, jsonb_build_object('n', repeat('x', 2000)), now() - n * interval '1 second'
       FROM generate_series(1, 20000) AS n`,
      [foreign.id],
    );
    const open = async () =>
      (
        await world.sql<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
        )
      )[0]!.count;
    await new Promise<void>((done, fail) => {
      const asked = request(`${world.baseUrl}/admin/audit/export?tenant_id=${foreign.id}`, {
        headers: { Authorization: `Bearer ${world.admin.token}` },
      });
      asked.on('error', fail).on('response', (response) => {
        response.once('data', () => {
          response.pause();
          void eventually('no open transaction while nothing is read', async () => (await open()) === 0).then(() => {
            response.destroy();
            done();
          }, fail);
        });
      });
      asked.end();
    });
    // The place of the export whose client hung up is given back when the service notices.
    let text = '';
    await eventually('the place is given back', async () => {
      const answer = await download({ tenant_id: foreign.id, action: 'push.sent' });
      text = answer.text;
      return answer.status !== 429;
    });
    const lines = linesOf(text);
    expect(lines).toHaveLength(20_000);
    expect(new Set(lines.map((line) => line.id)).size).toBe(20_000);
  });

  it('ends when its reader loses the authority with which it began', async () => {
    const own = await world.tenant();
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, tenant_id, metadata, created_at)
       SELECT gen_random_uuid(), 'push.sent', 'system', $1, '{}', now() - n * interval '1 second' FROM generate_series(1, 1200) AS n`,
      [own.id],
    );
    const reader = await world.tenantAdmin(own);
    const token = await tokenOf(reader, own.consoleAppId);
    const exports = service.nest.get(AuditExports, { strict: false });
    const open = exports.open.bind(exports);
    /** @param meanwhile happens before the second batch is read */
    const readTo = async (meanwhile: () => Promise<unknown>) => {
      exports.open = async (...asked) => {
        const log = await open(...asked);
        async function* batches() {
          let count = 0;
          for await (const batch of log.batches) {
            if (++count === 2) await meanwhile();
            yield batch;
          }
        }
        return { ...log, batches: batches() };
      };
      try {
        return await download({ tenant_id: own.id, action: 'push.sent' }, token).then(
          ({ text }) => linesOf(text).length,
          () => 'cut off',
        );
      } finally {
        exports.open = open;
      }
    };
    expect(await readTo(() => Promise.resolve())).toBe(1_200);
    const remove = () => world.asAdmin('DELETE', `/admin/tenants/${own.id}/admins/${reader.id}`);
    expect(await readTo(remove)).toBe('cut off');
  });

  it('counts entries for two callers at a time, while the others wait without a connection', async () => {
    const tokens = [];
    for (let n = 0; n < 5; n++) {
      const there = await world.tenant();
      tokens.push(await tokenOf(await world.tenantAdmin(there), there.consoleAppId));
    }
    const { limiter } = service.nest.get(AuditExports, { strict: false }) as unknown as {
      limiter: { semaphore: { waiting: Map<string, unknown[]> } };
    };
    let goOn!: () => void;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const opened = watchSnapshots(() => held);
    try {
      const answers = tokens.map((token) => download({}, token));
      await eventually('three wait for their turn', () => [...limiter.semaphore.waiting.values()].flat().length === 3);
      expect(opened.count()).toBe(2);
      goOn();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    } finally {
      goOn();
      opened.end();
    }
  });

  it('counts for platform admins while tenants wait, for one admin of a tenant at a time, and for no one who has hung up', async () => {
    const there = await world.tenant();
    const admin = async (at: TestTenant) => tokenOf(await world.tenantAdmin(at), at.consoleAppId);
    const tokens = [await admin(there), await admin(there), await admin(there)];
    const tokenOfForeign = await admin(await world.tenant());
    const { limiter } = service.nest.get(AuditExports, { strict: false }) as unknown as {
      limiter: { semaphore: { waiting: Map<string, unknown[]> } };
    };
    const waiting = () => limiter.semaphore.waiting.get(there.id)?.length ?? 0;
    let goOn!: () => void;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const opened = watchSnapshots(() => held);
    try {
      const first = download({}, tokens[0]);
      await eventually('it counts', () => opened.count() === 1);
      const gone = request(`${world.baseUrl}/admin/audit/export`, {
        headers: { Authorization: `Bearer ${tokens[1]!}` },
      }).on('error', () => undefined);
      gone.end();
      const third = download({}, tokens[2]);
      await eventually('two of the tenant wait', () => waiting() === 2);
      const others = [download({}, tokenOfForeign), download({ tenant_id: tenant.id })];
      await eventually('another tenant and the platform count', () => opened.count() === 3);
      gone.destroy();
      await eventually('who hung up has left', () => waiting() === 1);
      goOn();
      const answers = await Promise.all([first, third, ...others]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    } finally {
      goOn();
      opened.end();
    }
  });

  it('reads each batch with the patience that it counts with', async () => {
    const opened = watchSnapshots(() => Promise.resolve());
    try {
      const { text } = await download({ tenant_id: foreign.id, action: 'push.sent' });
      expect(linesOf(text)).toHaveLength(20_000);
      expect(opened.count()).toBe(1 + 40);
    } finally {
      opened.end();
    }
  });

  function watchSnapshots(before: () => Promise<void>) {
    const snapshots = service.nest.get(Snapshots, { strict: false });
    const really = snapshots.open.bind(snapshots);
    let count = 0;
    snapshots.open = async () => {
      count++;
      await before();
      return really();
    };
    return { count: () => count, end: () => (snapshots.open = really) };
  }
});

describe('An audit log export whose client hung up before the first line', () => {
  it('gives its place and its connection back', async () => {
    const database = await freshDatabase();
    const service = await startTestApp({ settings: { databaseUrl: database.url } });
    const world = await World.open(service.baseUrl, database.url);
    const inSnapshot = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
    try {
      const { token } = world.admin;
      await hangUpBeforeAnswer(service, database.url, { method: 'GET', path: '/admin/audit/export', token });
      await eventually('no open snapshot', async () => (await world.sql(inSnapshot)).length === 0);
      await eventually('the place is given back', async () => {
        return (await world.call('GET', '/admin/audit/export', undefined, { token })).status === 200;
      });
    } finally {
      await world.close();
      await service.close();
      await database.drop();
    }
  });
});

describe('Audit log exports that are read slowly', () => {
  it('take one place of each caller and of each app, and leave the others to other callers', async () => {
    // 40 MB of entries, which other services would seal and other tests read.
    const database = await freshDatabase();
    const service = await startTestApp({ settings: { databaseUrl: database.url } });
    const world = await World.open(service.baseUrl, database.url);
    try {
      const tenant = await world.tenant();
      const { access_token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
      const app = await world.app(tenant);
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, tenant_id, app_id, metadata, created_at)
         SELECT gen_random_uuid(), 'push.sent', 'system', $1, $2, jsonb_build_object('n', repeat('x', 2000)), now() - n * interval '1 second'
         FROM generate_series(1, 20000) AS n`,
        [tenant.id, app.id],
      );
      const begin = (token: string, query = `?tenant_id=${tenant.id}`) =>
        new Promise<{ status: number; end: () => void }>((done, fail) => {
          const options = { headers: { Authorization: `Bearer ${token}` }, agent: false };
          const asked = request(`${world.baseUrl}/admin/audit/export${query}`, options);
          asked.on('error', fail).on('response', (response) => {
            response.on('error', () => undefined);
            response.pause();
            done({ status: response.statusCode!, end: () => response.destroy() });
          });
          asked.end();
        });
      const held = [await begin(access_token), await begin(access_token)];
      const other = await begin(world.admin.token);
      expect([...held, other].map(({ status }) => status)).toEqual([200, 429, 200]);
      const adminToken = async ({ consoleAppId, ...of }: TestTenant) =>
        (await world.tokens(await world.tenantAdmin({ consoleAppId, ...of }), consoleAppId)).access_token;
      const more = [];
      const accomplice = async () =>
        (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
      for (let n = 0; n < 2; n++) more.push(await begin(await accomplice(), ''));
      for (let n = 0; n < 2; n++) more.push(await begin(await adminToken(tenant)));
      const elsewhere = await world.tenant();
      const theirs = await begin(await adminToken(elsewhere), `?tenant_id=${elsewhere.id}`);
      expect([...more, theirs].map(({ status }) => status)).toEqual([200, 503, 200, 503, 200]);
      // The first app's admins can give any user the role `admin`: that must not use up such a user's exports at their own app.
      const own = await world.app(elsewhere);
      const named = await world.user(own, { roles: ['admin'] });
      await world.asAdmin('PUT', `/admin/users/${named.id}/roles`, { app_id: app.id, roles: ['admin'] });
      const tokenOfNamed = (await world.tokens(named, world.platformConsoleId)).access_token;
      const ofFirst = await begin(tokenOfNamed, `?app_id=${app.id}`);
      const ofOwn = await begin(tokenOfNamed, `?app_id=${own.id}`);
      expect([ofFirst.status, ofOwn.status]).toEqual([503, 200]);
      ofOwn.end();
      await eventually('the place of their own app is free', async () => {
        const ofAll = await begin(tokenOfNamed, '');
        ofAll.end();
        return ofAll.status === 200;
      });
      for (const each of [...held, other, ...more, theirs]) each.end();
    } finally {
      await world.close();
      await service.close();
      await database.drop();
    }
  });
});

describe('Limit of audit log exports', () => {
  it('refuses more than the limit with 429', async () => {
    const service = await startTestApp({
      settings: { rateLimits: { enabled: true, overrides: { audit_export: { points: 2, seconds: 900 } } } },
    });
    const world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    try {
      const ask = () => world.call('GET', '/admin/audit/export?format=csv', undefined, { token: world.admin.token });
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
      const refused = await ask();
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    } finally {
      await world.close();
      await service.close();
    }
  });
});
