// npm run bench:users [-- --sizes=10000,100000,1000000] [--pages]: lists and searches of users and of the audit log, at
// the database, with ever more rows; then, or with --pages only, pages of the console at the last size. See README.md.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { auditListQuery } from '../src/audit/audit-list.query.js';
import { WHOLE_SCOPE } from '../src/common/actor.js';
import type { PageCursor } from '../src/common/lists/page-cursor.js';
import { SystemClock } from '../src/common/system-clock.js';
import { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { DeepPages, type PageStart } from '../src/database/queries/deep-pages.js';
import {
  usersCountQuery,
  usersMilestonesQuery,
  usersPageQuery,
  usersPrefixQuery,
} from '../src/enrollment/users/user-list.query.js';
import type { Query } from '../src/database/queries/query.js';
import { MANY, userNumber, seedMany, SMALL } from '../test/support/many-rows.js';
import { measureConsolePages } from './console-pages.js';
import { ROOT } from './processes.js';

const sizes = (process.argv.find((arg) => arg.startsWith('--sizes='))?.split('=')[1] ?? '10000,100000,1000000')
  .split(',')
  .map(Number);
const isPagesOnly = process.argv.includes('--pages');
const RUNS = 200;
const PAGE = { limit: 50, page: 1 };
const BIG = { everything: false, tenantIds: [MANY.bigTenant], appIds: [] };
const FEW = { everything: false, tenantIds: [MANY.smallTenant], appIds: [] };

/** What the admin API asks the database, by name. */
async function questions(client: Client, size: number): Promise<Record<string, Query>> {
  const [middle, oldest] = [await userNumber(client, Math.floor(size / 2)), await userNumber(client, SMALL)];
  const all = { scope: WHOLE_SCOPE, ...PAGE };
  return {
    'users: first page': usersPageQuery(all),
    'users: page 10': usersPageQuery(all, { after: null, skip: 450 }),
    'users: last pages, by cursor': usersPageQuery(all, { after: oldest, skip: 0 }),
    'users: last page, by number': usersPageQuery(all, await lastPageStart(client, size)),
    'users: milestones, once a minute while an operator asks for far pages': usersMilestonesQuery(all, 1_000),
    'users: count, up to 1,000': usersCountQuery(all, 1_001),
    'users: big tenant': usersPageQuery({ ...all, scope: BIG }),
    'users: big tenant, last pages': usersPageQuery({ ...all, scope: BIG }, { after: oldest, skip: 0 }),
    'users: small tenant': usersPageQuery({ ...all, scope: FEW }),
    'users: big app': usersPageQuery({ ...all, appId: MANY.bigApp }),
    'search: one address': usersPageQuery({ ...all, search: middle.email }),
    'search: part, one match': usersPageQuery({ ...all, search: middle.email.slice(3, 13) }),
    'search: part, every third': usersPageQuery({ ...all, search: 'mail.example' }),
    'search: part, no match': usersPageQuery({ ...all, search: 'nobody-at-all' }),
    'search: part, in big tenant': usersPageQuery({ ...all, scope: BIG, search: middle.email.slice(3, 13) }),
    'search: part, in small tenant': usersPageQuery({ ...all, scope: FEW, search: 'mail.example' }),
    'prefix: one match': usersPrefixQuery(WHOLE_SCOPE, middle.email.slice(0, -4), 10),
    'prefix: all users': usersPrefixQuery(WHOLE_SCOPE, 'user', 10),
    'prefix: empty': usersPrefixQuery(WHOLE_SCOPE, '', 10),
    'prefix: big tenant': usersPrefixQuery(BIG, 'user1', 10),
    'prefix: small tenant': usersPrefixQuery(FEW, 'user', 10),
    'detail: visible to a tenant admin': {
      text: `SELECT u.* FROM users u WHERE u.id = $1 AND EXISTS (SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
        WHERE e.user_id = u.id AND (a.tenant_id = ANY($2) OR a.id = ANY($3)))`,
      values: [oldest.id, [MANY.bigTenant], []],
    },
    'audit: first page': auditListQuery(all),
    'audit: page 10': auditListQuery(all, { after: null, skip: 450 }),
    'audit: last pages, by cursor': auditListQuery(all, { after: oldest, skip: 0 }),
    'audit: by tenant': auditListQuery({ ...all, tenantId: MANY.bigTenant }),
    'audit: by app': auditListQuery({ ...all, appId: MANY.bigApp }),
    'audit: by user': auditListQuery({ ...all, userId: middle.id }),
    'audit: by action': auditListQuery({ ...all, action: 'user.login_failed' }),
    'audit: by rare action and tenant': auditListQuery({
      ...all,
      tenantId: MANY.bigTenant,
      action: 'app.secret_regenerated',
    }),
    'audit: before a time': auditListQuery({ ...all, before: new Date('2020-01-02') }),
    'audit: big tenant’s admin': auditListQuery({ ...all, scope: BIG }),
    'audit: small tenant’s admin': auditListQuery({ ...all, scope: FEW }),
    'audit: tenant’s admin, by user': auditListQuery({ ...all, scope: BIG, userId: middle.id }),
  };
}

/** The start of the last page, as the service finds it. */
function lastPageStart(client: Client, size: number): Promise<PageStart> {
  const filter = { scope: WHOLE_SCOPE, limit: PAGE.limit, page: Math.floor(size / PAGE.limit) };
  const ask = async <Row>({ text, values }: Query): Promise<Row[]> => (await client.query(text, values)).rows as Row[];
  return new DeepPages(new SystemClock()).find('people', filter, {
    milestones: (every) => ask<PageCursor>(usersMilestonesQuery(filter, every)),
    countAhead: async (cursor, most) =>
      (await ask<{ count: number }>(usersCountQuery(filter, most, { side: 'ahead of', cursor })))[0]!.count,
  });
}

interface Cost {
  readonly p50: number;
  readonly p99: number;
  /** Of 8 KB, looked at: does not depend on how busy the machine is. */
  readonly pages: number;
}

async function measure(client: Client, { text, values }: Query): Promise<Cost> {
  const times: number[] = [];
  for (let run = -10; run < RUNS; run++) {
    const begun = performance.now();
    await client.query(text, values);
    if (run >= 0) times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
  const pages = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  return { p50: times[Math.floor(RUNS / 2)]!, p99: times[Math.floor(RUNS * 0.99)]!, pages };
}

function printTable(table: ReadonlyMap<string, readonly Cost[]>): void {
  const cell = ({ p50, p99, pages }: Cost): string => `${p50.toFixed(2)} / ${p99.toFixed(2)} / ${pages}`;
  console.log(
    `| p50 ms / p99 ms / pages | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} | last : first, ms | pages |`,
  );
  console.log(`|---|${sizes.map(() => '---:').join('|')}|---:|---:|`);
  for (const [name, times] of table) {
    const [first, last] = [times[0]!, times.at(-1)!];
    const ratios = [last.p50 / first.p50, last.pages / first.pages].map((ratio) => ratio.toFixed(1));
    console.log(`| ${name} | ${times.map(cell).join(' | ')} | ${ratios.join(' | ')} |`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'broker-users-'));
chmodSync(folder, 0o711); // the database's own user must be able to enter
const postgres = await EmbeddedPostgres.start({ dataDir: folder, disposable: true, log: () => undefined });
const client = new Client({ connectionString: postgres.url });
try {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: postgres.url,
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://127.0.0.1:3000',
  };
  execFileSync(process.execPath, ['dist/migrate.js'], { cwd: ROOT, env });
  await client.connect();
  const table = new Map<string, Cost[]>();
  let seeded = 0;
  for (const size of isPagesOnly ? sizes.slice(-1) : sizes) {
    const begun = performance.now();
    await seedMany(client, seeded, size);
    seeded = size;
    await client.query('CHECKPOINT');
    console.error(`${size} users after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    if (isPagesOnly) continue;
    for (const [name, query] of Object.entries(await questions(client, size))) {
      table.set(name, [...(table.get(name) ?? []), await measure(client, query)]);
    }
  }
  const size = sizes.at(-1)!;
  const { pages: firstBytes, preview } = await measureConsolePages(client, { size, folder, environment: env });
  if (!isPagesOnly) printTable(table);
  console.log(`\n| page of the console, ${size.toLocaleString('en')} users | first byte p50 ms | p95 ms |`);
  console.log('|---|---:|---:|');
  for (const { page, p50, p95 } of firstBytes) console.log(`| ${page} | ${p50.toFixed(1)} | ${p95.toFixed(1)} |`);
  const { members, affected, seconds, cpuSeconds } = preview;
  console.log(
    `\nPreview of ${members.toLocaleString('en')} members (${affected} affected): ${seconds.toFixed(2)} s, worker ${cpuSeconds.toFixed(2)} s of CPU`,
  );
} finally {
  await client.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
