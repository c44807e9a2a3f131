import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActorName, ACTORS, type MatrixRow, readAuthzMatrix } from '../../support/authz-matrix.js';
import type { Exercise } from '../../support/authz/exercise.js';
import { EXERCISES } from '../../support/authz/exercises.js';
import { AuthzFixture } from '../../support/authz-fixture.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Answer, World } from '../../support/world.js';

const ROWS = readAuthzMatrix();
/** The Console ignores bearer tokens: authz-matrix-console.spec.ts tests its rows. */
const isConsole = (row: MatrixRow) => row.group.startsWith('Console');

// security 75, 117
describe('Authorization matrix of the admin API (authz-matrix.csv)', () => {
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
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  it('has eleven valid statuses in every row', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(63);
    for (const row of ROWS) {
      expect([row.name, row.routes.length > 0]).toEqual([row.name, true]);
      expect([row.name, Object.values(row.cells).every((status) => status >= 200 && status < 500)]).toEqual([
        row.name,
        true,
      ]);
    }
  });

  it('has a row for every route under /admin', () => {
    const known = new Set(ROWS.flatMap((row) => row.routes));
    expect(routesOf(service.nest).filter((route) => / \/admin(\/|$)/.test(route) && !known.has(route))).toEqual([]);
  });

  it('names only routes that exist', () => {
    const built = new Set(routesOf(service.nest));
    const planned = new Set(ROWS.flatMap((row) => row.routes));
    expect([...planned].filter((route) => !built.has(route)).sort()).toEqual([]);
  });

  it('is tested in every row', () => {
    const due = ROWS.filter((row) => !isConsole(row));
    expect(Object.keys(EXERCISES).sort()).toEqual(due.map((row) => row.name).sort());
  });

  const due = ROWS.filter((row) => row.name in EXERCISES);
  describe.each(due.map((row) => [row.name, row] as const))('%s', (name, row) => {
    const exercise = EXERCISES[name]!;

    beforeAll(() => fixture.holdScope(exercise.scope));

    describe.each(Object.keys(exercise.forms))('as %s', (form) => {
      it.each(ACTORS)('returns to %s the status in the matrix', async (actor) => {
        const { method, path, body, upload } = await exercise.forms[form]!(fixture);
        await quietOutbox(world);
        const before = await databaseFingerprint(world);
        const answer = await world.call<Record<string, unknown> & unknown[]>(method, path, body, {
          token: fixture.token(actor, exercise.scope),
          upload,
        });
        const after = await databaseFingerprint(world);
        expect([answer.status, answer.status === row.cells[actor] ? null : answer.body]).toEqual([
          row.cells[actor],
          null,
        ]);
        if (answer.status >= 400) expectRefusal(actor, answer, exercise);
        if (answer.status >= 400 || method === 'GET' || exercise.writesNothing) expect(after).toEqual(before);
        else expect(after).not.toEqual(before);
        if (answer.status < 300) await exercise.check?.(answer, actor, fixture);
      });
    });
  });

  function expectRefusal(actor: ActorName, answer: Answer, { scope, details, beside = [] }: Exercise): void {
    const { detail } = answer.body;
    const own = details?.[answer.status];
    if (own !== undefined) expect([own].flat()).toContainEqual(detail);
    else if (answer.status === 401) expect(detail).toBe('Not authenticated');
    else if (answer.status === 403) {
      expect(detail).toBe(actor === 'S−' && scope ? 'Missing required scope' : 'Insufficient permissions');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope"/);
    } else expect(detail).toMatch(/^(User|App|Tenant|Enrollment|Invite|Mail) not found$/);
    if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(Object.keys(answer.body).filter((field) => !beside.includes(field))).toEqual(['detail']);
  }
});
