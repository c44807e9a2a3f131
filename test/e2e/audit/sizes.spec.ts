import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditReader } from '../../../src/admin/audit-log/audit-reader.service.js';
import { type AuditPage, AuditService } from '../../../src/audit/audit.service.js';
import { type RequestContext, systemContext } from '../../../src/common/request-context.js';
import { NO_AUTHORITY } from '../../../src/common/actor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestTenant, unique, World } from '../../support/world.js';

interface Entry {
  id: string;
  metadata: Record<string, unknown>;
}

const ENTRIES = 60;
const LARGE = 100_000;
const KB = 1_024;

describe('Sizes of audit entries', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    // As they were written before their size was limited; old, because other tests read the newest. Repeated text: PostgreSQL stores it compressed.
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, tenant_id, metadata, created_at)
       SELECT gen_random_uuid(), 'tenant.updated', 'system', $1, jsonb_build_object('n', n, 'long', repeat('x', ${LARGE})),
         now() - interval '1 year' - n * interval '1 second'
       FROM generate_series(1, ${ENTRIES}) AS n`,
      [tenant.id],
    );
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  it('a page of large entries ends early, and its link leads to the next', async () => {
    const seen: unknown[] = [];
    const pages: number[] = [];
    let path = `/admin/audit?tenant_id=${tenant.id}&action=tenant.updated&limit=${ENTRIES}`;
    while (path) {
      const answer = await world.call<Entry[]>('GET', path, undefined, { token: world.admin.token });
      expect(JSON.stringify(answer.body).length).toBeLessThan(4_500 * KB);
      seen.push(...answer.body.map(({ metadata }) => metadata['n']));
      pages.push(answer.body.length);
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';
    }
    expect(seen).toEqual(Array.from({ length: ENTRIES }, (_, index) => index + 1));
    expect(pages).toHaveLength(2);
  });

  it('pages of a user have the large entries and the small ones between them, each once', async () => {
    const user = await world.user(await world.app(tenant));
    await world.sql(
      `INSERT INTO audit_entries (id, action, outcome, actor_type, tenant_id, user_id, metadata, created_at)
       SELECT gen_random_uuid(), 'user.login', 'success', 'system', $1::uuid, $2::uuid,
         jsonb_build_object('n', 2 * n, 'long', repeat('x', ${LARGE})), now() - interval '2 years' + n * interval '2 second'
       FROM generate_series(1, ${ENTRIES}) AS n
       UNION ALL SELECT gen_random_uuid(), 'user.login_failed', 'failure', 'anonymous', $1, NULL,
         jsonb_build_object('n', 2 * n + 1, 'email', $3::text), now() - interval '2 years' + n * interval '2 second' + interval '1 second'
       FROM generate_series(1, ${ENTRIES}) AS n`,
      [tenant.id, user.id, user.email],
    );
    const reader = service.nest.get(AuditReader, { strict: false });
    const actor = { type: 'user', userId: world.admin.id, authority: { ...NO_AUTHORITY, platform: true } };
    const ctx = { ...systemContext('test'), actor } as unknown as RequestContext;
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const about = { id: user.id, emailCanonical: user.email };
      const page: AuditPage = await reader.listOfUser(ctx, about, ['user.login', 'user.login_failed'], cursor, 200);
      seen.push(...page.entries.map(({ metadata }) => metadata['n']));
      cursor = page.next;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 2 * ENTRIES }, (_, index) => 2 * ENTRIES + 1 - index));
  });

  it('the export has all large entries', async () => {
    const path = `/admin/audit/export?tenant_id=${tenant.id}&action=tenant.updated`;
    const answer = await fetch(`${world.baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${world.admin.token}` },
    });
    const lines = (await answer.text()).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Entry).metadata['n'])).toHaveLength(ENTRIES);
  });

  it('an entry about many long redirect URIs is small, and has their number', async () => {
    const app = await world.app(tenant);
    const uris = Array.from({ length: 31 }, (_, index) => `https://host-${index}.example/${unique().repeat(300)}`);
    const redirect_uris = uris.map((uri) => uri.slice(0, 1_900));
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { client_type: 'confidential', redirect_uris } });
    const log = `/admin/audit?app_id=${app.id}&action=app.updated`;
    const [entry] = await world.asAdmin<Entry[]>('GET', log);
    expect(JSON.stringify(entry!.metadata).length).toBeLessThan(8 * KB);
    const { added } = entry!.metadata['redirect_uris'] as { added: string[] };
    expect(added.map((uri) => new URL(uri).host)).toEqual(uris.slice(0, 20).map((uri) => new URL(uri).host));
    expect(entry!.metadata).toMatchObject({
      fields: ['config'],
      config: expect.arrayContaining(['redirect_uris']),
      redirect_uris: { added_count: 31, removed: [app.redirectUri] },
    });
  });

  it('an entry with more than 8 KB keeps its facts, and the first elements of its lists', async () => {
    const audit = service.nest.get(AuditService, { strict: false });
    const metadata = {
      reason: unique(),
      names: Array.from({ length: 500 }, (_, index) => `name ${index} `.repeat(20)),
    };
    await audit.recordAlone(systemContext('test'), 'tenant.updated', { tenantId: tenant.id, metadata });
    const [entry] = await world.sql<Entry>(`SELECT metadata FROM audit_entries WHERE metadata ->> 'reason' = $1`, [
      metadata.reason,
    ]);
    expect(JSON.stringify(entry!.metadata).length).toBeLessThan(8 * KB);
    expect(entry!.metadata).toMatchObject({ reason: metadata.reason, names_count: 500, truncated: true });
    expect((entry!.metadata['names'] as string[])[0]).toBe(metadata.names[0]);
  });
});
