import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { freePort } from '../test/support/free-port.js';
import { visitConsole } from '../test/support/console-visitor.js';
import { MANY, userNumber } from '../test/support/many-rows.js';
import { World } from '../test/support/world.js';
import { type Environment, Processes, untilAnswered } from './processes.js';

const WARM_UPS = 5;
const RUNS = 60;
const WAITING_REQUESTS = 200;

interface FirstByte {
  readonly page: string;
  readonly p50: number;
  readonly p95: number;
}

interface Preview {
  readonly members: number;
  readonly affected: number;
  readonly seconds: number;
  /** Of the worker; 0 where the request itself could judge them. */
  readonly cpuSeconds: number;
}

/** Requests of an operator to the built service, one after the other: milliseconds until the head of the answer. */
export async function measureConsolePages(
  client: Client,
  { size, folder, environment }: { readonly size: number; readonly folder: string; readonly environment: Environment },
): Promise<{ pages: FirstByte[]; preview: Preview }> {
  const [port, redisPort] = [await freePort(), await freePort()];
  const databaseUrl = environment['DATABASE_URL']!;
  const env = {
    ...environment,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    RATE_LIMITS: 'admin=999999999/900', // counted, but out of reach
    REQUIRE_ADMIN_2FA: 'false',
  };
  const processes = new Processes();
  try {
    const redis = ['--bind', '127.0.0.1', '--port', String(redisPort), '--dir', folder, '--save', ''];
    processes.start('redis-server', redis, env, join(folder, 'redis.log'));
    const service = processes.start(process.execPath, ['dist/main.js'], env, join(folder, 'service.log'));
    await untilAnswered(`${env.BASE_URL}/health/ready`, service);
    const world = await World.open(env.BASE_URL, databaseUrl);
    // First: the admin's token lasts for a quarter of an hour.
    const worker = processes.start(process.execPath, ['dist/worker.js'], env, join(folder, 'worker.log'));
    const preview = await measurePreview(world, worker);
    await processes.stop(worker);
    const browser = await visitConsole(world, world.admin);
    const results: FirstByte[] = [];
    for (const [page, path] of Object.entries(await pages(client, size)))
      results.push({ page, ...(await firstByte(`${env.BASE_URL}${path}`, browser.cookieHeader())) });
    await world.close();
    await processes.stop(service);
    return { pages: results, preview };
  } finally {
    processes.killAll();
  }
}

/** What “second factor required” would do to every member of the big app: a task of the worker, if there are many. */
async function measurePreview(world: World, worker: { readonly pid?: number }): Promise<Preview> {
  const [begun, before] = [performance.now(), cpuSeconds(worker.pid!)];
  const path = `/admin/apps/${MANY.bigApp}?preview=true`;
  const first = await world.asAdmin<Result & { task_id?: string }>('POST', path, { config: { require_2fa: true } });
  let result: Result | null = first.task_id === undefined ? first : null;
  while (result === null) {
    await setTimeout(100);
    ({ result } = await world.asAdmin<{ result: Result | null }>('GET', `/admin/previews/${first.task_id}`));
  }
  const affected = result.effects.reduce((sum, { count }) => sum + count, 0);
  const seconds = (performance.now() - begun) / 1_000;
  return { members: result.members, affected, seconds, cpuSeconds: cpuSeconds(worker.pid!) - before };
}

interface Result {
  readonly members: number;
  readonly effects: readonly { readonly count: number }[];
}

/** Of a process, in user and system mode (proc(5)). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function pages(client: Client, size: number): Promise<Record<string, string>> {
  const user = await userNumber(client, size / 2);
  await client.query(
    `UPDATE enrollments SET status = 'pending' WHERE app_id = $1 AND user_id IN
       (SELECT user_id FROM enrollments WHERE app_id = $1 ORDER BY user_created_at DESC LIMIT $2)`,
    [MANY.bigApp, WAITING_REQUESTS],
  );
  return {
    overview: '/console/',
    users: '/console/users',
    'users, page 10': '/console/users?page=10',
    'users by name, one match': `/console/users?q=${encodeURIComponent(`User ${size / 2}`)}`,
    'users by name, all match': '/console/users?q=user',
    'users by name, no match': '/console/users?q=nobody+at+all',
    'users by address': `/console/users?q=${encodeURIComponent(user.email)}`,
    'global search': `/console/search?q=${encodeURIComponent(`User ${size / 2}`)}`,
    user: `/console/users/${user.id}`,
    'user, access check': `/console/users/${user.id}/access`,
    members: `/console/apps/${MANY.bigApp}/members`,
    'members by name': `/console/apps/${MANY.bigApp}/members?q=${encodeURIComponent(`User ${size / 2}`)}`,
    'members who wait': `/console/apps/${MANY.bigApp}/members?status=pending`,
    app: `/console/apps/${MANY.bigApp}`,
    requests: '/console/requests',
    'audit log': '/console/audit',
    'audit log by action': '/console/audit?action=app.secret_regenerated',
    'audit log of a tenant': `/console/audit?tenant_id=${MANY.bigTenant}`,
    'e-mails': '/console/mails',
  };
}

async function firstByte(url: string, cookie: string): Promise<Omit<FirstByte, 'page'>> {
  const times: number[] = [];
  for (let run = -WARM_UPS; run < RUNS; run++) {
    const begun = performance.now();
    const answer = await fetch(url, { headers: { Accept: 'text/html', Cookie: cookie }, redirect: 'manual' });
    if (run >= 0) times.push(performance.now() - begun);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
    await answer.arrayBuffer();
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(RUNS * 0.5)]!, p95: times[Math.floor(RUNS * 0.95)]! };
}
