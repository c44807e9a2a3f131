import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HOSTILE_BODIES } from '../../support/hostile-values.js';
import {
  concretePath,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  resolveSchema,
  type Schema,
} from '../../support/openapi-operations.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

/**
 * Accepted with any value, because a bad verifier must invalidate the code (security 52) and get no chance for
 * correction.
 */
const JUDGED_LATER = new Set(['code_verifier']);

/** Accept up to 32 MB from authorized callers: test/e2e/transfer/large-bodies.spec.ts. */
const TAKES_LARGE_BODIES = new Set(['/admin/apps/import', '/admin/tenants/import', '/push/send/batch']);

/** Registration of clients: RFC 7591 section 3.2.2 says which errors. */
const HAS_OWN_ERRORS = new Set(['/auth/register']);

/** Values of every other type than the schema's. */
function wrongValues(schema: Schema): unknown[] {
  const values: Record<string, unknown> = {
    string: 'text',
    integer: 1.5,
    boolean: true,
    array: [null],
    object: { a: 1 },
    null: null,
    huge: 9223372036854775808n.toString(),
  };
  const kind = schema.type ?? 'object';
  const wrong = Object.entries(values).filter(([type]) => type !== kind && !(type === 'null' && schema.nullable));
  const fitting = wrong.filter(([type]) => !(type === 'huge' && kind === 'string'));
  return [...fitting.map(([, value]) => value), ...(kind === 'integer' ? [2 ** 63, -1e300] : [])];
}

// security 116
describe('Routes with a JSON body', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let document: OpenApiDocument;
  let operations: Operation[];
  let ids: Record<string, string>;
  let serviceToken: string;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    serviceToken = await world.serviceToken(app, 'push:send');
    ids = { tenant_id: tenant.id, app_id: app.id, user_id: (await world.user(app)).id };
    document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
    operations = operationsOf(document).filter(({ body, path }) => body && !HAS_OWN_ERRORS.has(path));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  async function send({ method, path }: Operation, body: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(service.baseUrl + concretePath(path, ids), {
      method,
      body,
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${path.startsWith('/push/send') ? serviceToken : world.admin.token}`,
      },
    });
    return { status: answer.status, text: await answer.text() };
  }

  function expectFaults(text: string): { loc: (string | number)[]; msg: string; type: string }[] {
    const { detail } = JSON.parse(text) as { detail: { loc: (string | number)[]; msg: string; type: string }[] };
    expect(Array.isArray(detail) && detail.length > 0).toBe(true);
    for (const fault of detail) {
      expect(Object.keys(fault).sort()).toEqual(['loc', 'msg', 'type']);
      expect(fault.loc[0]).toBe('body');
      expect(typeof fault.msg).toBe('string');
    }
    return detail;
  }

  it('include at least twelve operations of the OpenAPI document', () => {
    expect(operations.length).toBeGreaterThanOrEqual(12);
    for (const path of [
      '/auth/login',
      '/auth/token',
      '/token/refresh',
      '/admin/apps',
      '/admin/users/{user_id}/suspend',
    ])
      expect(operations.map((operation) => operation.path)).toContain(path);
  });

  it.each(Object.entries(HOSTILE_BODIES))(
    '(%s) return 422 with field errors and write nothing to the database',
    async (_, body) => {
      const before = await databaseFingerprint(world);
      for (const operation of operations) {
        const { status, text } = await send(operation, body);
        expect([operation.path, status]).toEqual([operation.path, 422]);
        expectFaults(text);
      }
      expect(await databaseFingerprint(world)).toEqual(before);
    },
  );

  it('return 413 for a body of more than 256 KB and write nothing', async () => {
    const before = await databaseFingerprint(world);
    for (const operation of operations.filter(({ path }) => !TAKES_LARGE_BODIES.has(path))) {
      const { status, text } = await send(operation, JSON.stringify({ a: 'x'.repeat(262_144) }));
      expect([operation.path, status, JSON.parse(text)]).toEqual([
        operation.path,
        413,
        expect.objectContaining({ detail: 'Payload Too Large' }),
      ]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('return 422 with the field’s location for a wrong type in any field and write nothing', async () => {
    const before = await databaseFingerprint(world);
    let tried = 0;
    for (const operation of operations) {
      const fields = Object.entries(operation.body!.properties ?? {});
      expect([operation.path, fields.length > 0]).toEqual([operation.path, true]);
      for (const [name, schema] of fields.filter(([field]) => !JUDGED_LATER.has(field))) {
        for (const value of wrongValues(resolveSchema(document, schema))) {
          const { status, text } = await send(operation, JSON.stringify({ [name]: value }));
          expect([operation.path, name, value, status]).toEqual([operation.path, name, value, 422]);
          const places = expectFaults(text).map((fault) => fault.loc[1]);
          expect([operation.path, name, value, places.includes(name)]).toEqual([operation.path, name, value, true]);
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(200);
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('return 422 with the full location for a wrong type within config and branding', async () => {
    const operation = operations.find(({ method, path }) => method === 'PUT' && path === '/admin/apps/{app_id}')!;
    const config = resolveSchema(document, operation.body!.properties!['config']!);
    const branding = resolveSchema(document, config.properties!['branding']!);
    for (const [schema, wrap, place] of [
      [config, (field: object) => ({ config: field }), ['body', 'config']],
      [branding, (field: object) => ({ config: { branding: field } }), ['body', 'config', 'branding']],
    ] as const) {
      for (const [name, field] of Object.entries(schema.properties!)) {
        for (const value of wrongValues(resolveSchema(document, field))) {
          const { status, text } = await send(operation, JSON.stringify(wrap({ [name]: value })));
          expect([name, value, status]).toEqual([name, value, 422]);
          const places = expectFaults(text).map((fault) => fault.loc.slice(0, place.length + 1));
          expect(places).toContainEqual([...place, name]);
        }
      }
    }
  });

  it('do not change the object prototypes of the process', () => {
    expect(({} as Record<string, unknown>)['is_platform_admin']).toBeUndefined();
  });
});
