import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../fault.js';
import { OwnPostgres } from '../own-postgres.js';
import { seconds } from '../report.js';
import { underLoad, type Scene } from '../under-load.js';
import { Watch } from '../watch.js';

/** Of requests that need the database, while it is away: statement limit and a little. */
const MAX_WAIT_MS = 8_000;
/** From the first answer of the database to the readiness of both processes. */
const MAX_RECOVERY_MS = 5_000;
/** From the start of all processes and servers after a power cut. */
const MAX_RESTART_MS = 15_000;

async function onOwnPostgres(
  breakIt: (postgres: OwnPostgres, scene: Scene) => ReturnType<Parameters<typeof underLoad>[1]>,
) {
  const postgres = await OwnPostgres.start();
  try {
    return await underLoad({ databaseUrl: postgres.url }, (scene) => breakIt(postgres, scene));
  } finally {
    await postgres.stop();
  }
}

/** F2: PostgreSQL is killed under load and recovers. Keys are served meanwhile, and no process ends. */
export function postgresCrashes(rounds: number): Promise<Outcome> {
  return onOwnPostgres(async (postgres, { service, load }) => {
    const broken: string[] = [];
    const recoveries: number[] = [];
    const keys = Watch.of(`${service.url}/.well-known/jwks.json`);
    const alive = Watch.of(`${service.address(0)}/health/live`);
    for (let round = 0; round < rounds; round++) {
      await sleep(1_000);
      await postgres.crash();
      await sleep(1_000);
      await postgres.recover();
      const begun = performance.now();
      await service.recovered();
      recoveries.push(performance.now() - begun);
    }
    if (Math.max(...recoveries) > MAX_RECOVERY_MS) broken.push(`not ready within ${MAX_RECOVERY_MS} ms`);
    const others = [...load.statuses.keys()].filter((status) => status !== 503 && !(Number(status) < 300));
    // 502: the balancer has no ready process, or one that is about to find out.
    if (others.some((status) => status !== 502)) broken.push(`other answers than 503: ${others.join(', ')}`);
    const live = await alive.end();
    if (live.join() !== '200') broken.push(`/health/live: ${live.join(', ')}`);
    await keys.end();
    return { figures: `${rounds} crashes, ready ${seconds(recoveries)} after the database`, broken };
  });
}

/** F4: PostgreSQL hangs. Requests end with 503, the rest goes on, and nothing is written twice afterwards. */
export function postgresHangs(milliseconds: number): Promise<Outcome> {
  return onOwnPostgres(async (postgres, { service, load }) => {
    const broken: string[] = [];
    await sleep(1_000);
    load.takeSlowest();
    const alive = Watch.of(`${service.address(0)}/health/live`);
    const keys = Watch.of(`${service.address(0)}/.well-known/jwks.json`);
    postgres.hang();
    await sleep(milliseconds);
    postgres.wakeUp();
    const begun = performance.now();
    await service.recovered();
    const recovery = performance.now() - begun;
    const slowest = load.takeSlowest();
    if (slowest.ms > MAX_WAIT_MS) broken.push(`a request was slow: ${slowest.request}`);
    for (const watch of [alive, keys]) {
      const statuses = await watch.end();
      if (statuses.join() !== '200') broken.push(`without the database: ${statuses.join(', ')}`);
      if (watch.slowestMs > 1_000) broken.push(`without the database: ${Math.round(watch.slowestMs)} ms`);
    }
    return {
      figures: `hung for ${milliseconds / 1_000} s, slowest answer ${seconds([slowest.ms])}, ready ${seconds([recovery])} afterwards`,
      broken,
    };
  });
}

/** F3: single connections are cut by the server. */
export function connectionsCut(cuts: number): Promise<Outcome> {
  return underLoad({}, async ({ world, load }) => {
    for (let count = 0; count < cuts; count++) {
      await world.sql(
        `SELECT pg_terminate_backend(pid) FROM (
           SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'identity-broker'
           ORDER BY state = 'idle', random() LIMIT 1) AS one`,
      );
      await sleep(50);
    }
    const others = [...load.statuses.keys()].filter((status) => status !== 503 && !(Number(status) < 300));
    const broken = others.length > 0 ? [`other answers than 503: ${others.join(', ')}`] : [];
    return { figures: `${cuts} connections cut`, broken };
  });
}

/** F19: the line to PostgreSQL loses one direction, then is whole again. */
export function oneWayLoss(milliseconds: number): Promise<Outcome> {
  return onOwnPostgres(async (postgres, { service, load }) => {
    const broken: string[] = [];
    const recoveries: number[] = [];
    load.takeSlowest();
    for (const line of ['lose answers', 'lose requests'] as const) {
      await sleep(1_000);
      postgres.gateway.line = line;
      await sleep(milliseconds);
      postgres.gateway.line = 'whole';
      const begun = performance.now();
      await service.recovered();
      recoveries.push(performance.now() - begun);
    }
    const slowest = load.takeSlowest();
    if (slowest.ms > MAX_WAIT_MS) broken.push(`a request was slow: ${slowest.request}`);
    if (Math.max(...recoveries) > 10_000) broken.push('not ready within 10 s');
    return {
      figures: `each direction lost for ${milliseconds / 1_000} s, slowest answer ${seconds([slowest.ms])}, ready ${seconds(recoveries)} afterwards`,
      broken,
    };
  });
}

/** F23: every process and PostgreSQL at once, then all are started. */
export function powerCuts(rounds: number): Promise<Outcome> {
  return onOwnPostgres(async (postgres, { service, redis }) => {
    const broken: string[] = [];
    const starts: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await sleep(Math.random() * 2_000);
      await Promise.all([
        service.end(0, 'SIGKILL'),
        service.end(1, 'SIGKILL'),
        service.worker.kill('SIGKILL'),
        postgres.crash(),
        redis.kill(),
      ]);
      const begun = performance.now();
      await Promise.all([postgres.recover(), redis.start()]);
      await Promise.all([service.begin(0), service.begin(1), service.restartWorker('SIGKILL')]);
      await service.recovered();
      starts.push(performance.now() - begun);
    }
    if (Math.max(...starts) > MAX_RESTART_MS) broken.push(`not ready within ${MAX_RESTART_MS} ms`);
    return { figures: `${rounds} power cuts, everything ready after ${seconds(starts)}`, broken };
  });
}
