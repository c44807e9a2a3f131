// npm run bench:previews [-- --members=1000000]: previews of 1,000 members within the request and as a page of the console, of many as a task
// (--members=0: not), and the walk that writes the affected users down after the change was saved. See README.md.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { contentToken, visitConsole } from '../test/support/console-visitor.js';
import { standing } from '../test/support/form-fields.js';
import { freePort } from '../test/support/free-port.js';
import { World } from '../test/support/world.js';
import { Processes, ROOT, untilAnswered } from './processes.js';

const MANY = Number(process.argv.find((arg) => arg.startsWith('--members='))?.split('=')[1] ?? 1_000_000);
const FEW = 1_000;
const RUNS = 40;
const WARM_UPS = 5;
const LOCKS_EVERY_MS = 250;
const CHANGE = { config: { require_2fa: true } };

/** Locks of others than this connection that keep rows or tables from being changed or read. */
const LOCKS = `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.pid <> pg_backend_pid() AND a.backend_type = 'client backend' AND l.locktype IN ('relation', 'tuple')
    AND l.relation IN ('users'::regclass, 'enrollments'::regclass, 'apps'::regclass, 'tenants'::regclass)
    AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')`;
const LONGEST = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float AS seconds
  FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL
    AND query LIKE '%"userCreatedAt"%'`;

interface Answer {
  readonly task_id?: string;
  readonly members: number;
  readonly effects: readonly { readonly count: number }[];
}

/** Of a process (proc(5)): seconds in user and system mode, and the most memory that it had. */
function costOf(pid: number): { cpu: number; peakMb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, peakMb: Number(peak) / 1_024 };
}

/** Members of the app: half of them verified, every third with an authenticator app, one sign-in each in the last month. */
async function seed(client: Client, appId: string, tenantId: string, count: number): Promise<void> {
  const rows = `FROM generate_series(1, ${count}) AS i`;
  const user = `md5('${appId}' || i)::uuid`;
  const email = `'user' || i || '@${appId}.example'`;
  const at = `timestamptz '2020-01-01 00:00:00Z' + i * interval '1 second'`;
  await client.query('SET session_replication_role = replica');
  await client.query(`
    INSERT INTO users (id, email, email_canonical, display_name, created_at, email_verified, totp_enabled_at)
    SELECT ${user}, ${email}, ${email}, 'User ' || i, ${at}, i % 2 = 0, CASE WHEN i % 3 = 0 THEN now() END ${rows}`);
  await client.query(`
    INSERT INTO enrollments (user_id, app_id, roles, status, tenant_id, user_created_at)
    SELECT ${user}, '${appId}', '{user}', 'active', '${tenantId}', ${at} ${rows}`);
  await client.query(`
    INSERT INTO audit_entries (id, created_at, action, actor_type, user_id, tenant_id, app_id, metadata)
    SELECT gen_random_uuid(), now() - interval '3 days', 'user.login', 'user', ${user}, '${tenantId}', '${appId}',
      '{"amr": ["pwd"]}' ${rows}`);
  await client.query('SET session_replication_role = origin');
  for (const table of ['users', 'enrollments', 'audit_entries']) await client.query(`VACUUM (ANALYZE) ${table}`);
}

/** How long each took, after some that are not counted. */
async function measured(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let run = -WARM_UPS; run < RUNS; run++) {
    const begun = performance.now();
    await work();
    if (run >= 0) times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(RUNS * share)]!.toFixed(0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, at most ${times.at(-1)!.toFixed(0)} ms`;
}

function measureInline(world: World, appId: string): Promise<string> {
  return measured(() => world.asAdmin<Answer>('POST', `/admin/apps/${appId}?preview=true`, CHANGE));
}

/** From “Save changes” to the page with the names. */
async function measurePage(world: World, appId: string): Promise<string> {
  const browser = await visitConsole(world, world.admin);
  const tab = `/console/apps/${appId}/sign-in`;
  const page = await browser.get(tab);
  const fields = { ...standing(page, tab), require_2fa: 'on', form_token: contentToken(page) };
  return measured(async () => {
    const shown = await browser.post(tab, fields);
    if (!shown.body.includes('must set up a second factor') || !shown.body.includes('User 1<'))
      throw new Error(`No names: ${shown.status}`);
  });
}

/** Calls `isDone` until it is, and looks at the locks in between. */
async function watched(client: Client, pid: number, isDone: () => Promise<boolean>): Promise<string> {
  const [begun, before] = [performance.now(), costOf(pid).cpu];
  let locks = 0;
  let longest = 0;
  while (!(await isDone())) {
    locks += (await client.query<{ count: number }>(LOCKS)).rows[0]!.count;
    longest = Math.max(longest, (await client.query<{ seconds: number }>(LONGEST)).rows[0]!.seconds);
    await sleep(LOCKS_EVERY_MS);
  }
  const { cpu, peakMb } = costOf(pid);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  return `${seconds} s, worker ${(cpu - before).toFixed(1)} s of CPU, at most ${peakMb.toFixed(0)} MB; locks seen: ${locks}; longest statement ${(longest * 1_000).toFixed(0)} ms`;
}

/** As the console saves it with a prediction. @returns the id of the change */
async function followed(client: Client, appId: string, tenantId: string): Promise<string> {
  const side = (require_2fa: boolean) => ({ isActive: true, config: { require_2fa } });
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO change_comparisons (audit_entry_id, tenant_id, app_id, prediction, knows_all, settings, sides)
     VALUES (gen_random_uuid(), $1, $2, '{}', true, '{}', $3) RETURNING audit_entry_id AS id`,
    [tenantId, appId, { before: side(false), after: side(true) }],
  );
  const { id } = rows[0]!;
  await client.query(
    `INSERT INTO outbox_messages (id, queue, job, payload, max_attempts)
     VALUES (gen_random_uuid(), 'tasks', 'change.compare', $1, 15)`,
    [{ change: id, step: 'write_down' }],
  );
  return id;
}

/** What the measurements of many members need; not the `Stage` of the other runs, which has no worker. */
interface PreviewStage {
  readonly client: Client;
  readonly world: World;
  /** Process id. */
  readonly worker: number;
  readonly tenantId: string;
  readonly appId: string;
}

async function measureMany({ client, world, worker, tenantId, appId }: PreviewStage): Promise<void> {
  const begun = performance.now();
  await seed(client, appId, tenantId, MANY);
  await client.query('CHECKPOINT');
  console.error(`${MANY} members after ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  await world.signInAgain();
  const path = `/admin/apps/${appId}?preview=true`;
  const { task_id } = await world.asAdmin<Answer>('POST', path, CHANGE);
  let result: Answer | null = null;
  const preview = await watched(client, worker, async () => {
    ({ result } = await world.asAdmin<{ result: Answer | null }>('GET', `/admin/previews/${task_id}`));
    return result !== null;
  });
  const { members, effects } = result! as Answer;
  const affected = effects.reduce((sum, { count }) => sum + count, 0);
  console.log(`${members.toLocaleString('en')} members (${affected.toLocaleString('en')} affected): ${preview}`);

  const change = await followed(client, appId, tenantId);
  const has = (column: string) => async () =>
    (await client.query(`SELECT 1 FROM change_comparisons WHERE ${column} IS NOT NULL`)).rows.length > 0;
  console.log(`written down after the change: ${await watched(client, worker, has('found'))}`);
  const next = `UPDATE outbox_messages SET available_at = now() WHERE payload ->> 'change' = $1 AND done_at IS NULL`;
  await client.query(next, [change]);
  console.log(`compared after a day: ${await watched(client, worker, has('after_day'))}`);
}

const folder = mkdtempSync(join(tmpdir(), 'broker-previews-'));
chmodSync(folder, 0o711); // the database's own user must be able to enter
const postgres = await EmbeddedPostgres.start({ dataDir: folder, disposable: true, log: () => undefined });
const client = new Client({ connectionString: postgres.url });
const processes = new Processes();
try {
  const [port, redisPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: postgres.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SECRET_KEY: randomBytes(32).toString('base64'),
    RATE_LIMITS: 'admin=999999999/900,change_preview=999999999/900', // counted, but out of reach
    REQUIRE_ADMIN_2FA: 'false',
  };
  execFileSync(process.execPath, ['dist/migrate.js'], { cwd: ROOT, env });
  const redis = ['--bind', '127.0.0.1', '--port', String(redisPort), '--dir', folder, '--save', ''];
  processes.start('redis-server', redis, env, join(folder, 'redis.log'));
  const service = processes.start(process.execPath, ['dist/main.js'], env, join(folder, 'service.log'));
  await untilAnswered(`${env.BASE_URL}/health/ready`, service);
  const worker = processes.start(process.execPath, ['dist/worker.js'], env, join(folder, 'worker.log'));
  await client.connect();
  const world = await World.open(env.BASE_URL, postgres.url);
  const tenant = await world.tenant();
  const [small, large] = [await world.app(tenant), await world.app(tenant)];
  await seed(client, small.id, tenant.id, FEW);
  console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`);
  const few = FEW.toLocaleString('en');
  console.log(`${few} members within the request: ${await measureInline(world, small.id)}`);
  console.log(`${few} members, the page with the names: ${await measurePage(world, small.id)}`);

  const stage = { client, world, worker: worker.pid!, tenantId: tenant.id, appId: large.id };
  if (MANY > 0) await measureMany(stage);
  console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`);
  await world.close();
} finally {
  processes.killAll();
  await client.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
