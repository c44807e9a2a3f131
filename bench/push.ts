// npm run bench:push [-- --notifications=20000 --rounds=3]: accepting notifications and delivering them by web push, in
// one worker and in two. See README.md.
import type { ChildProcess } from 'node:child_process';
import { createECDH, createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemRandomness } from '../src/common/system-randomness.js';
import { SecretBox } from '../src/crypto/secret-box.js';
import { aadOfPushToken } from '../src/push/devices/sealed-devices.js';
import { residentMemory } from '../test/support/resident-memory.js';
import { cpuOf } from './load/cpu.mjs';
import { Stage } from './stage.js';

const option = (name: string, fallback: number): number =>
  Number(process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
const USERS = 500;
const ROUNDS = option('rounds', 3);
/** For the look at memory. */
const NOTIFICATIONS = option('notifications', 100_000);
/** Of one measurement of the rate. */
const BACKLOG = option('backlog', 5_000);

interface PushApp {
  readonly id: string;
  readonly token: string;
  readonly users: readonly string[];
}

/** An app with users, each with one subscribed browser. Rows, because registering each by HTTP would measure bcrypt. */
async function pushApp(stage: Stage, peer: string): Promise<PushApp> {
  const { world } = stage;
  const app = await world.app(await world.tenant());
  await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, daily_quota: 10_000_000 });
  const box = new SecretBox(Buffer.from(stage.environment['SECRET_KEY']!, 'base64'), null, new SystemRandomness());
  const users = Array.from({ length: USERS }, () => randomUUID());
  const devices = users.map((userId) => {
    const [id, keys] = [randomUUID(), createECDH('prime256v1')];
    keys.generateKeys();
    const written = { p256dh: keys.getPublicKey().toString('base64url'), auth: randomBytes(16).toString('base64url') };
    const token = JSON.stringify({ endpoint: `${peer}/push/${id}`, keys: written });
    const hash = createHash('sha256').update(token).digest('hex');
    return { id, user_id: userId, hash, sealed: box.seal(token, aadOfPushToken(id)) };
  });
  await world.sql(
    `WITH rows AS (SELECT * FROM jsonb_to_recordset($1) AS r(id uuid, user_id uuid, hash text, sealed text)),
       u AS (INSERT INTO users (id, email, email_canonical, display_name)
         SELECT user_id, user_id || '@example.com', user_id || '@example.com', 'Ada' FROM rows),
       e AS (INSERT INTO enrollments (user_id, app_id, roles, status) SELECT user_id, $2, '{user}', 'active' FROM rows)
     INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
       SELECT id, $2, user_id, 'web', decode(hash, 'hex'), sealed FROM rows`,
    [JSON.stringify(devices), app.id],
  );
  return { id: app.id, token: await world.serviceToken(app, 'push:send'), users };
}

/** One bulk to all users. @returns milliseconds until it was answered */
async function bulk(stage: Stage, app: PushApp): Promise<number> {
  const begun = performance.now();
  const answer = await stage.world.call(
    'POST',
    '/push/send/bulk',
    { user_ids: app.users, title: 'Hello', body: 'World', data: { order: 7 } },
    { token: app.token },
  );
  if (answer.status !== 200) throw new Error(`Not sent: ${answer.status} ${JSON.stringify(answer.body)}`);
  return performance.now() - begun;
}

const arrived = async (peer: string): Promise<number> =>
  Number(await (await fetch(peer, { signal: AbortSignal.timeout(60_000) })).text());

function startWorker(stage: Stage, flags: readonly string[] = []): ChildProcess {
  const env = { ...stage.environment, ALLOW_PRIVATE_NETWORK_TARGETS: 'true' };
  return stage.processes.start(process.execPath, [...flags, 'dist/worker.js'], env, join(stage.folder, 'worker.log'));
}

/** A backlog delivered by so many workers. @returns deliveries per second between the first tenth and the last */
async function rate(stage: Stage, app: PushApp, peer: string, workers: number) {
  for (let sent = 0; sent < BACKLOG; sent += USERS) await bulk(stage, app);
  const before = await arrived(peer);
  const children = Array.from({ length: workers }, () => startWorker(stage));
  const passed = async (share: number): Promise<number> => {
    while ((await arrived(peer)) - before < BACKLOG * share) await sleep(10);
    return performance.now();
  };
  const begun = await passed(0.1);
  const pids = children.map((child) => child.pid!);
  const accounts = { worker: pids, postgres: stage.accounts['postgres']! };
  const used = Object.fromEntries(Object.entries(accounts).map(([name, of]) => [name, cpuOf(of)]));
  const ended = await passed(0.99);
  const each = (name: keyof typeof accounts): number => (cpuOf(accounts[name]) - used[name]!) / (BACKLOG * 0.89);
  const result = {
    rate: (BACKLOG * 0.89 * 1_000) / (ended - begun),
    workerMs: each('worker'),
    postgresMs: each('postgres'),
  };
  await untilSettled(stage);
  for (const child of children) await stage.processes.stop(child);
  return { ...result, twice: (await arrived(peer)) - before - BACKLOG };
}

async function untilSettled(stage: Stage): Promise<void> {
  const open = `(SELECT 1 FROM notification_deliveries WHERE status = 'queued' LIMIT 1)
    UNION ALL (SELECT 1 FROM notification_batches LIMIT 1)`;
  while ((await stage.world.sql(open)).length > 0) await sleep(50);
}

/** What a worker holds while so many notifications pass through it. */
async function memory(stage: Stage, app: PushApp, peer: string): Promise<string[]> {
  // So small a heap that what is only not yet collected does not look like growth, and a leak would end it.
  const worker = startWorker(stage, ['--max-old-space-size=80']);
  const lines: string[] = [];
  const before = await arrived(peer);
  for (let sent = USERS; sent <= NOTIFICATIONS; sent += USERS) {
    await bulk(stage, app);
    // No more in the table than a busy app has waiting.
    while (sent - ((await arrived(peer)) - before) > 5 * USERS) await sleep(20);
    if (sent % (NOTIFICATIONS / 10) === 0) lines.push(`${sent}: ${residentMemory(worker.pid!).toFixed(0)} MB`);
  }
  await untilSettled(stage);
  await stage.processes.stop(worker);
  return lines;
}

const median = (values: number[]): number => [...values].sort((one, other) => one - other)[values.length >> 1]!;

const stage = await Stage.open();
try {
  const { told } = await stage.processes.tell<{ port: number }>('./peers/push-service.mjs', []);
  const peer = `http://127.0.0.1:${told.port}`;
  const app = await pushApp(stage, peer);
  await bulk(stage, app);
  const times: number[] = [];
  for (let run = 0; run < 19; run++) times.push(await bulk(stage, app));
  console.log(
    `accept a bulk of ${USERS}: p50 ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms`,
  );
  await stage.world.sql('DELETE FROM notification_batches');
  await stage.world.sql('DELETE FROM notifications');
  for (const workers of [1, 2]) {
    const runs: Awaited<ReturnType<typeof rate>>[] = [];
    for (let round = 0; round < ROUNDS; round++) runs.push(await rate(stage, app, peer, workers));
    const of = (name: 'rate' | 'workerMs' | 'postgresMs'): string => median(runs.map((run) => run[name])).toFixed(2);
    const twice = runs.reduce((sum, run) => sum + run.twice, 0);
    console.log(
      `${workers} worker(s): ${of('rate')} deliveries/s, CPU ms each ${of('workerMs')} worker + ${of('postgresMs')} postgres, delivered twice: ${twice}`,
    );
  }
  console.log(`memory of a worker after so many notifications: ${(await memory(stage, app, peer)).join(', ')}`);
} finally {
  await stage.close();
}
