import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { testRedisUrl } from '../../support/redis.js';
import { testEnvironment } from '../../support/test-settings.js';
import { type AppDocument, TransferFixture, withoutTime } from '../../support/transfer-fixture.js';
import { type TestTenant, unique, type World } from '../../support/world.js';

jest.setTimeout(240_000);

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('Command line for export and import', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let folder: string;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
    folder = mkdtempSync(join(tmpdir(), 'transfer-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await fixture.close();
  });

  function transfer(...args: string[]): Promise<Outcome> {
    const env = {
      PATH: process.env['PATH'],
      ...testEnvironment(),
      REDIS_URL: testRedisUrl(),
      DATABASE_URL: fixture.database.url,
    };
    return new Promise((done) => {
      execFile(
        process.execPath,
        [resolve('dist/cli.js'), 'transfer', ...args],
        { env, maxBuffer: 1 << 28 },
        (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
  }

  function file(content: unknown): string {
    const path = join(folder, `${unique()}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  it('writes the same documents as the API', async () => {
    const app = await world.app(tenant);
    await world.user(app);
    const plain = await transfer('export', 'app', app.id);
    expect([plain.code, plain.err]).toEqual([0, '']);
    expect(withoutTime(JSON.parse(plain.out) as AppDocument)).toEqual(withoutTime(await fixture.exportApp(app.id, '')));
    const whole = await transfer(
      'export',
      'tenant',
      tenant.id.toUpperCase(),
      '--include-users',
      '--include-credentials',
    );
    expect(withoutTime(JSON.parse(whole.out) as AppDocument)).toEqual(
      withoutTime(await fixture.exportTenant(tenant.id, '?include_users=true&include_credentials=true')),
    );
    const entries = await world.sql(
      `SELECT actor_type, actor_id FROM audit_entries WHERE action = 'app.exported' AND target_id = $1 ORDER BY created_at`,
      [app.id],
    );
    expect(entries[0]).toEqual({ actor_type: 'system', actor_id: 'cli' });
  });

  it('plans and imports a file, and shows its secrets once', async () => {
    const slug = `cli-${unique()}`;
    const path = file({ tenant: { name: 'Cli', slug }, apps: [{ name: 'Shop', bundle_id: `com.${slug}` }] });
    const before = await databaseFingerprint(world);
    const plan = await transfer('import', 'tenant', path, '--dry-run');
    expect([plan.code, JSON.parse(plan.out)]).toEqual([
      0,
      expect.objectContaining({
        create: { tenants: [{ name: 'Cli', slug }], apps: [{ name: 'Shop', bundle_id: `com.${slug}` }], users: [] },
      }),
    ]);
    expect(await databaseFingerprint(world)).toEqual(before);
    const made = JSON.parse((await transfer('import', 'tenant', path)).out) as {
      slug: string;
      apps: { id: string; client_secret: string }[];
    };
    expect(made.slug).toBe(slug);
    const { id, client_secret } = made.apps[0]!;
    await world.serviceToken({ id, secret: client_secret, tenantId: '', redirectUri: '' });
    const bundle_id = `com.app.${unique()}`;
    const app = file({ app: { name: 'Shop', bundle_id } });
    const imported = await transfer('import', 'app', app, '--tenant', tenant.id, '--preserve-bundle-id');
    expect(JSON.parse(imported.out)).toMatchObject({ tenant_id: tenant.id, bundle_id, bundle_id_kept: true });
  });

  it('prints errors on standard error and exits with 1', async () => {
    const before = await databaseFingerprint(world);
    const nothing = '00000000-0000-4000-8000-000000000000';
    const bad = { tenant: { name: '' }, apps: [{ name: 'x', config: { redirect_uris: ['http://example.com'] } }] };
    for (const [args, message] of [
      [['import', 'tenant', file(bad)], /^tenant\.name: .+\napps\.0\.config\.redirect_uris\.0: .+\n$/],
      [['import', 'tenant', file('{"tenant":{')], /no JSON, or was cut off/],
      [['import', 'tenant', file({ tenant: { name: 'x\0' } })], /NUL/],
      [['import', 'app', file({ app: { name: 'x' } }), '--tenant', nothing], /Tenant not found/],
      [['export', 'app', nothing], /App not found/],
      [['export', 'user', nothing], /app or tenant/],
    ] as const) {
      const { code, out, err } = await transfer(...args);
      expect([args, code, out, err]).toEqual([args, 1, '', expect.stringMatching(message)]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });
});
