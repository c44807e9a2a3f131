import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActorName, ACTORS, type MatrixRow, readAuthzMatrix } from '../../support/authz-matrix.js';
import { LATER } from '../../support/authz/later.js';
import { AuthzStage } from '../../support/authz-stage.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { PASSWORD, World } from '../../support/world.js';

const ROWS = readAuthzMatrix().filter((row) => row.group.startsWith('Console'));

/** Where a row's request goes. The callback is asked with what the browser's own sign-in delivered. */
const PATHS: Readonly<Record<string, (callback: string | null) => string>> = {
  'GET /console/login': () => '/console/login',
  'GET /console/callback': (callback) => callback ?? '/console/callback',
  'GET /console/': () => '/console/',
};

interface Visitor {
  readonly browser: HostedBrowser;
  readonly headers: Record<string, string>;
  /** Path of the callback that the sign-in ended in. */
  readonly callback: string | null;
}

// security 75
describe('The authorization matrix of the console', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let stage: AuthzStage;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    stage = await AuthzStage.build(world);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  it('is exercised in every row whose route is built', () => {
    const later = new Set(LATER);
    const due = ROWS.filter((row) => row.routes.some((route) => !later.has(route)));
    expect(Object.keys(PATHS).sort()).toEqual(due.map((row) => row.name).sort());
  });

  /** A browser that is signed in as the actor; service tokens and strangers come with their bearer token or nothing. */
  async function visitorFor(actor: ActorName): Promise<Visitor> {
    const browser = new HostedBrowser(service.baseUrl);
    const person = stage.people.get(actor);
    const token = stage.token(actor);
    if (!person) return { browser, headers: token ? { Authorization: `Bearer ${token}` } : {}, callback: null };
    const begin = await browser.get('/console/login');
    const answer = await browser.signIn(begin.location!, person.email, PASSWORD);
    expect([actor, browser.cookie('sso') !== undefined]).toEqual([actor, true]);
    return { browser, headers: {}, callback: answer.location?.slice(service.baseUrl.length) ?? null };
  }

  const due = ROWS.filter((row) => row.name in PATHS);
  describe.each(due.map((row) => [row.name, row] as const))('%s', (name, row: MatrixRow) => {
    it.each(ACTORS)('answers %s as the matrix says', async (actor) => {
      const { browser, headers, callback } = await visitorFor(actor);
      const before = await databaseFingerprint(world);
      const answer = await browser.get(PATHS[name]!(callback), headers);
      expect([actor, answer.status, answer.location]).toEqual([actor, row.cells[actor], answer.location]);
      if (answer.status >= 400) expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
      if (answer.status !== 303) expect(await databaseFingerprint(world)).toEqual(before);
    });
  });

  it('shows the overview rows of the caller only', async () => {
    const { browser } = await visitorFor('TA=');
    const page = (await browser.get('/console/')).body;
    expect(page).toContain(stage.tenant.name);
    expect(page).not.toContain(stage.foreignTenant.name);
    expect(page).not.toContain(stage.foreignTenant.id);
  });
});
