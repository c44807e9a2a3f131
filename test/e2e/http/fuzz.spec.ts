import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { HOSTILE_TEXTS } from '../../support/hostile-values.js';
import { concretePath, type OpenApiDocument, type Operation, operationsOf } from '../../support/openapi-operations.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

jest.setTimeout(240_000);

const RUNS = 1500;
const SEED = 20_261_121;

interface Shot {
  readonly route: number;
  readonly id: string | null;
  readonly fields: Record<string, unknown>;
  readonly query: Record<string, string>;
  readonly form: boolean;
  readonly bearer: boolean;
  readonly header: string;
}

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 40 }), fc.uuid());
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, true, 0, -1, 2 ** 53, 2 ** 63, 1e308, 1.5, [], {}, [[]], [null]),
  fc.array(text, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
);

// security 116
describe('Any input at any route', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let targets: { method: string; path: string; fields: string[] }[];
  let ids: Record<string, string>;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    ids = { tenant_id: tenant.id, app_id: app.id, user_id: (await world.person(app)).id };
    const document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
    const described = operationsOf(document);
    targets = routesOf(service.nest).map((route) => {
      const [method, path] = route.split(' ') as [string, string];
      const operation = described.find(
        (each) => each.method === method && each.path.replace(/\{[^}]+\}/g, '*') === path,
      );
      return { method, path: operation?.path ?? path.replace('*', '{any}'), fields: fieldsOf(operation) };
    });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  function fieldsOf(operation: Operation | undefined): string[] {
    const query = (operation?.raw.parameters ?? []).map((parameter) => parameter.name);
    return [...Object.keys(operation?.body?.properties ?? {}), ...query];
  }

  async function shoot({ route, id, fields, query, form, bearer, header }: Shot): Promise<Response> {
    const target = targets[route % targets.length]!;
    const given = id === null ? ids : { any: encodeURIComponent(id), user_id: encodeURIComponent(id) };
    const rename = (record: Record<string, unknown>): Record<string, unknown> => {
      const entries = Object.entries(record);
      return Object.fromEntries(entries.map(([key, each], index) => [target.fields[index] ?? key, each]));
    };
    const named = rename(fields);
    const parameters = new URLSearchParams(Object.entries(rename(query)) as [string, string][]);
    const hasBody = !['GET', 'HEAD'].includes(target.method);
    const texts = Object.entries(named).map(([key, each]): [string, string] => [key, String(each)]);
    return fetch(`${service.baseUrl}${concretePath(target.path, given)}?${parameters.toString()}`, {
      method: target.method,
      redirect: 'manual',
      headers: {
        ...(bearer ? { Authorization: `Bearer ${world.admin.token}` } : {}),
        ...(hasBody ? { 'Content-Type': form ? 'application/x-www-form-urlencoded' : 'application/json' } : {}),
        Accept: bearer ? 'application/json' : 'text/html',
        Cookie: `sso=${header}; browser=${header}`,
        'User-Agent': header,
      },
      ...(hasBody ? { body: form ? new URLSearchParams(texts).toString() : JSON.stringify(named) } : {}),
    });
  }

  it(`never causes a 5xx, in ${RUNS} requests, and refusals keep their shape`, async () => {
    const statuses = new Map<number, number>();
    const shot = fc.record<Shot>({
      route: fc.nat(10_000),
      id: fc.option(
        text.filter((each) => each.isWellFormed()),
        { freq: 5 },
      ),
      fields: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), value, { minKeys: 1, maxKeys: 6 }),
      query: fc.dictionary(fc.constantFrom('a', 'b', 'c'), text, { maxKeys: 3 }),
      form: fc.boolean(),
      bearer: fc.boolean(),
      header: fc.string({ maxLength: 50 }).map((each) => each.replace(/[^\x21-\x7e]/g, '')),
    });
    await fc.assert(
      fc.asyncProperty(shot, async (input) => {
        const answer = await shoot(input);
        const body = await answer.text();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([answer.status < 500, body.slice(0, 200)]).toEqual([true, expect.anything()]);
        if (answer.status >= 400 && /json/.test(answer.headers.get('content-type') ?? ''))
          expect(JSON.parse(body)).toHaveProperty('detail');
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(RUNS);
    // It got past the door as well: successes, refusals of the body, refusals of the person.
    for (const status of [200, 401, 422]) expect([status, (statuses.get(status) ?? 0) > 20]).toEqual([status, true]);
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
  });
});
