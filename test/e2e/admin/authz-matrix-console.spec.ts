import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActorName, ACTORS, type MatrixRow, readAuthzMatrix } from '../../support/authz-matrix.js';
import { AuthzFixture } from '../../support/authz-fixture.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, World } from '../../support/world.js';

const ROWS = readAuthzMatrix().filter((row) => row.group.startsWith('Console'));

/** The paths of a row's requests. The callback gets the query of the browser's own sign-in. */
const PATHS: Readonly<Record<string, (fixture: AuthzFixture, callback: string | null) => readonly string[]>> = {
  'GET /console/login': () => ['/console/login'],
  'GET /console/callback': (_, callback) => [callback ?? '/console/callback'],
  'GET /console/logout, …/impersonate-exit, …/impersonate-app-exit': () => [
    '/console/impersonate-exit',
    '/console/impersonate-app-exit',
    '/console/logout',
  ],
  'GET /console/impersonate/{t}': ({ tenant }) => [`/console/impersonate/${tenant.id}?reason=Ticket+12`],
  'GET /console/impersonate-app/{a}': ({ app }) => [`/console/impersonate-app/${app.id}?reason=Ticket+12`],
  'GET /console/pick-tenant': () => ['/console/pick-tenant'],
  'GET /console/select-tenant/{t}': ({ tenant }) => [`/console/select-tenant/${tenant.id}`],
  'GET /console/select-tenant': () => ['/console/select-tenant'],
  'GET /console/': () => ['/console/'],
  'GET /console/audit/export': () => ['/console/audit/export', '/console/audit/export?format=csv'],
  'GET /console/audit, /console/audit-log': () => ['/console/audit', '/console/audit-log'],
  'GET /console/tasks': () => ['/console/tasks'],
  'GET /console/tasks/{k}': () => [`/console/tasks/${TASK}`],
  'GET /console/push': ({ app }) => ['/console/push', `/console/push?q=${app.id}&state=off`],
  'GET /console/queues, /console/queues/limits': () => [
    '/console/queues',
    '/console/queues/limits?address=nobody%40example.com',
  ],
  'GET /console/apps': () => ['/console/apps'],
  'GET /console/apps/{a}': ({ app }) => [`/console/apps/${app.id}`],
  'GET /console/my-apps, /console/account, /console/help…': () => [
    '/console/my-apps',
    '/console/account',
    '/console/help',
    '/console/help/start/first-app',
  ],
  'GET /console/users': () => ['/console/users', '/console/users?q=person'],
  'GET /console/users/{u}': ({ users }) => {
    const path = `/console/users/${users.get('U')!.id}`;
    return [path, `${path}/access`, `${path}/sessions`, `${path}/timeline`];
  },
  'GET /console/tenant': () => ['/console/tenant'],
  'GET /console/tenants, /console/tenants/{t}': ({ tenant }) => ['/console/tenants', `/console/tenants/${tenant.id}`],
  'GET /console/export/app/{a}': ({ app }) => [`/console/export/app/${app.id}`],
  'GET /console/export/tenant/{t}': ({ tenant }) => [`/console/export/tenant/${tenant.id}`],
};
/** A task that the tenant's admin has planned. */
const TASK = '0a2b3c4d-0000-4000-8000-00000000a5c1';

/** Paths that change the visitor's own session. */
const CHANGES = /callback|logout|impersonate(?:-app)?-exit|select-tenant/;

/** Redirects of visitors without a list of all apps, and to the sign-in. */
const IN_THE_CONSOLE = /^\/(?:console\/my-apps$|(?:console\/)?login)/;

interface Visitor {
  readonly browser: HostedBrowser;
  readonly headers: Record<string, string>;
  /** The callback path to which the sign-in redirected. */
  readonly callback: string | null;
}

// security 75
describe('Authorization matrix of the Console (authz-matrix.csv)', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let fixture: AuthzFixture;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    fixture = await AuthzFixture.build(world);
    await world.sql(
      `INSERT INTO operator_tasks (id, kind, status, started_by, amr, request_id, app_id, details, total, expires_at)
       VALUES ($1, 'members', 'planned', $2, '{pwd}', 'x', $3, $4, 1, now() + interval '1 hour')`,
      [TASK, fixture.users.get('TA=')!.id, fixture.app.id, { act: 'suspend', app: 'Shop' }],
    );
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  it('is tested in every row', () => {
    expect(Object.keys(PATHS).sort()).toEqual(ROWS.map((row) => row.name).sort());
  });

  /** A browser that is signed in as the actor; service tokens are sent as bearer tokens, and strangers send nothing. */
  async function visitorFor(actor: ActorName, forCallback = false): Promise<Visitor> {
    const browser = new HostedBrowser(service.baseUrl);
    const user = fixture.users.get(actor);
    const token = fixture.token(actor);
    if (!user) return { browser, headers: token ? { Authorization: `Bearer ${token}` } : {}, callback: null };
    const begin = await browser.get('/console/login');
    const answer = await browser.signIn(begin.location!, user.email, PASSWORD);
    expect([actor, browser.cookie('sso') !== undefined]).toEqual([actor, true]);
    const callback = answer.location?.slice(service.baseUrl.length) ?? null;
    // The callback's own row requests the callback; for all others the visitor is signed in already.
    if (callback && !forCallback) expect((await browser.get(callback)).status).toBe(303);
    return { browser, headers: { 'Sec-Fetch-Site': 'same-origin' }, callback };
  }

  const due = ROWS.filter((row) => row.name in PATHS);
  describe.each(due.map((row) => [row.name, row] as const))('%s', (name, row: MatrixRow) => {
    it.each(ACTORS)('returns to %s the status in the matrix', async (actor) => {
      const visitor = await visitorFor(actor, name === 'GET /console/callback');
      const { browser, headers } = visitor;
      for (const path of PATHS[name]!(fixture, visitor.callback)) {
        await quietOutbox(world); // a notice of the sign-in may be on its way
        const before = await databaseFingerprint(world);
        const answer = await browser.get(path, headers);
        expect([path, actor, answer.status, answer.location]).toEqual([path, actor, row.cells[actor], answer.location]);
        if (answer.status >= 400) expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
        if (answer.status === 302 && row.cells[actor] === row.cells['∅'] && row.cells.PA !== 302)
          expect(answer.location).toMatch(fixture.users.has(actor) ? IN_THE_CONSOLE : /^\/(?:console\/)?login/);
        if (answer.status >= 400 || !CHANGES.test(path)) expect(await databaseFingerprint(world)).toEqual(before);
      }
    });
  });

  it('is written to by no link from another website', async () => {
    const { browser } = await visitorFor('PA');
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    const state = async () => [
      await databaseFingerprint(world),
      await world.sql('SELECT count(*)::int AS entries FROM audit_entries'),
    ];
    await quietOutbox(world);
    for (const path of due.flatMap(({ name }) => PATHS[name]!(fixture, null))) {
      const before = await state();
      await browser.get(path, elsewhere);
      expect([path, await state()]).toEqual([path, before]);
    }
  });

  it('shows a tenant admin only their own tenant on the overview', async () => {
    const { browser } = await visitorFor('TA=');
    const page = (await browser.get('/console/')).body;
    expect(page).toContain(fixture.tenant.name);
    expect(page).not.toContain(fixture.foreignTenant.name);
    expect(page).not.toContain(fixture.foreignTenant.id);
  });
});
